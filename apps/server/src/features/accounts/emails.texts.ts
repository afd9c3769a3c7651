import type { renderEmail } from '../../platform/email-layout.ts';

type EmailText = Omit<Parameters<typeof renderEmail>[0], 'locale' | 'button'> & { button?: string };

/** The text of each email. Each language is one object of this type. */
export interface EmailTexts {
  reset(name: string): EmailText;
  welcome(name: string): EmailText;
  signup(name: string): EmailText;
  alreadyRegistered(name: string): EmailText;
  invitation(about: { tenantName: string; inviterName: string | null; roles: string }): EmailText;
  failedSignIns(name: string): EmailText;
  passwordChanged(name: string): EmailText;
  secondFactorChanged(name: string): EmailText;
  identityAdded(name: string): EmailText;
}

const en: EmailTexts = {
  reset: (name) => ({
    subject: 'Reset your password',
    greeting: `Hi ${name},`,
    paragraphs: ['We received a request to reset the password for your Parley account.'],
    button: 'Reset password',
    footnotes: [
      'This link works once. If you didn’t request it, you can ignore this email and your password stays the same.',
    ],
  }),
  welcome: (name) => ({
    subject: 'Set up your Parley admin account',
    greeting: `Hi ${name},`,
    paragraphs: [
      'You’re now a platform admin of this Parley deployment.',
      'Choose a password first. When you sign in, you’ll set up two-factor authentication, so have your phone or a passkey ready.',
    ],
    button: 'Choose a password',
    footnotes: ['This link works once and expires in 24 hours.'],
  }),
  signup: (name) => ({
    subject: 'Confirm your email address',
    greeting: `Hi ${name},`,
    paragraphs: ['Welcome to Parley! Confirm your email address and choose a password to finish signing up.'],
    button: 'Confirm email address',
    footnotes: ['This link expires in 24 hours. If you didn’t sign up, you can ignore this email.'],
  }),
  alreadyRegistered: (name) => ({
    subject: 'You already have a Parley account',
    greeting: `Hi ${name},`,
    paragraphs: [
      'We received a request to sign up with this email address, but you already have a Parley account. Nothing has changed.',
      'Sign in as usual. If you’ve forgotten your password, you can reset it.',
    ],
    button: 'Reset password',
  }),
  invitation: ({ tenantName, inviterName, roles }) => ({
    subject: `Join ${tenantName} on Parley`,
    greeting: 'Hi,',
    paragraphs: [
      inviterName
        ? `${inviterName} has invited you to join ${tenantName} on Parley.`
        : `You’ve been invited to join ${tenantName} on Parley.`,
      `Your role: ${roles}`,
    ],
    button: 'Accept invitation',
    footnotes: ['This invitation expires in 7 days. If you weren’t expecting it, you can ignore this email.'],
  }),
  failedSignIns: (name) => ({
    subject: 'Failed sign-in attempts on your account',
    greeting: `Hi ${name},`,
    paragraphs: [
      'There were several failed attempts to sign in to your Parley account, so we’ve paused further attempts for a while.',
      'If this was you, wait a while and try again. If it wasn’t, make sure you use this password only for Parley and that two-factor authentication is on.',
    ],
  }),
  passwordChanged: (name) => ({
    subject: 'Your password was changed',
    greeting: `Hi ${name},`,
    paragraphs: [
      'The password for your Parley account was changed, and your other sessions were signed out.',
      'If this wasn’t you, reset your password now.',
    ],
    button: 'Reset password',
  }),
  identityAdded: (name) => ({
    subject: 'New sign-in method on your account',
    greeting: `Hi ${name},`,
    paragraphs: [
      'You can now also sign in to your Parley account with your organisation’s single sign-on.',
      'If this wasn’t you, reset your password now.',
    ],
    button: 'Reset password',
  }),
  secondFactorChanged: (name) => ({
    subject: 'Your two-factor authentication was changed',
    greeting: `Hi ${name},`,
    paragraphs: [
      'An authenticator app, a passkey or recovery codes were added to or removed from your Parley account.',
      'If this wasn’t you, reset your password now.',
    ],
    button: 'Reset password',
  }),
};

const de: EmailTexts = {
  reset: (name) => ({
    subject: 'Passwort zurücksetzen',
    greeting: `Guten Tag ${name},`,
    paragraphs: ['für Ihr Parley-Konto wurde angefragt, das Passwort zurückzusetzen.'],
    button: 'Passwort zurücksetzen',
    footnotes: [
      'Der Link funktioniert nur einmal. Falls die Anfrage nicht von Ihnen kam, können Sie diese E-Mail ignorieren. Ihr Passwort bleibt dann unverändert.',
    ],
  }),
  welcome: (name) => ({
    subject: 'Richten Sie Ihr Parley-Admin-Konto ein',
    greeting: `Guten Tag ${name},`,
    paragraphs: [
      'Sie sind jetzt Plattform-Admin dieser Parley-Installation.',
      'Legen Sie zuerst ein Passwort fest. Bei der Anmeldung richten Sie dann die Zwei-Faktor-Authentifizierung ein. Halten Sie dafür Ihr Smartphone oder einen Passkey bereit.',
    ],
    button: 'Passwort festlegen',
    footnotes: ['Der Link funktioniert nur einmal und läuft in 24 Stunden ab.'],
  }),
  signup: (name) => ({
    subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
    greeting: `Guten Tag ${name},`,
    paragraphs: [
      'willkommen bei Parley! Bestätigen Sie Ihre E-Mail-Adresse und legen Sie ein Passwort fest, um die Registrierung abzuschließen.',
    ],
    button: 'E-Mail-Adresse bestätigen',
    footnotes: [
      'Der Link läuft in 24 Stunden ab. Falls Sie sich nicht registriert haben, können Sie diese E-Mail ignorieren.',
    ],
  }),
  alreadyRegistered: (name) => ({
    subject: 'Sie haben bereits ein Parley-Konto',
    greeting: `Guten Tag ${name},`,
    paragraphs: [
      'mit dieser E-Mail-Adresse sollte ein neues Konto erstellt werden. Sie haben aber bereits ein Parley-Konto, daher wurde nichts geändert.',
      'Melden Sie sich wie gewohnt an. Falls Sie Ihr Passwort vergessen haben, können Sie es zurücksetzen.',
    ],
    button: 'Passwort zurücksetzen',
  }),
  invitation: ({ tenantName, inviterName, roles }) => ({
    subject: `Einladung zu ${tenantName} auf Parley`,
    greeting: 'Guten Tag,',
    paragraphs: [
      inviterName
        ? `${inviterName} hat Sie zu ${tenantName} auf Parley eingeladen.`
        : `Sie wurden zu ${tenantName} auf Parley eingeladen.`,
      `Ihre Rolle: ${roles}`,
    ],
    button: 'Einladung annehmen',
    footnotes: [
      'Die Einladung läuft in 7 Tagen ab. Falls Sie nicht damit gerechnet haben, können Sie diese E-Mail ignorieren.',
    ],
  }),
  failedSignIns: (name) => ({
    subject: 'Fehlgeschlagene Anmeldeversuche bei Ihrem Konto',
    greeting: `Guten Tag ${name},`,
    paragraphs: [
      'bei Ihrem Parley-Konto gab es mehrere fehlgeschlagene Anmeldeversuche. Weitere Versuche sind deshalb vorübergehend gesperrt.',
      'Wenn Sie das waren, versuchen Sie es später noch einmal. Wenn nicht, stellen Sie sicher, dass Sie dieses Passwort nur für Parley verwenden und die Zwei-Faktor-Authentifizierung aktiviert ist.',
    ],
  }),
  passwordChanged: (name) => ({
    subject: 'Ihr Passwort wurde geändert',
    greeting: `Guten Tag ${name},`,
    paragraphs: [
      'das Passwort für Ihr Parley-Konto wurde geändert. Auf anderen Geräten wurden Sie abgemeldet.',
      'Falls Sie das nicht waren, setzen Sie Ihr Passwort jetzt zurück.',
    ],
    button: 'Passwort zurücksetzen',
  }),
  identityAdded: (name) => ({
    subject: 'Neue Anmeldemethode für Ihr Konto',
    greeting: `Guten Tag ${name},`,
    paragraphs: [
      'Sie können sich bei Ihrem Parley-Konto jetzt auch über das Single Sign-on Ihrer Organisation anmelden.',
      'Falls Sie das nicht waren, setzen Sie Ihr Passwort jetzt zurück.',
    ],
    button: 'Passwort zurücksetzen',
  }),
  secondFactorChanged: (name) => ({
    subject: 'Ihre Zwei-Faktor-Authentifizierung wurde geändert',
    greeting: `Guten Tag ${name},`,
    paragraphs: [
      'bei Ihrem Parley-Konto wurde eine Authenticator-App, ein Passkey oder ein Satz Backup-Codes hinzugefügt oder entfernt.',
      'Falls Sie das nicht waren, setzen Sie Ihr Passwort jetzt zurück.',
    ],
    button: 'Passwort zurücksetzen',
  }),
};

const languages: Record<string, EmailTexts> = { en, de };
export const emailTexts = (locale: unknown): EmailTexts => languages[String(locale)] ?? en;
