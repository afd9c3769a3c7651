import type { renderLetter } from '../../platform/letter-layout.ts';

type Words = Omit<Parameters<typeof renderLetter>[0], 'locale' | 'button'> & { button?: string };

/** What is said in each letter. A language is one object of this shape. */
export interface LetterTexts {
  reset(name: string): Words;
  welcome(name: string): Words;
  signup(name: string): Words;
  alreadyRegistered(name: string): Words;
  invitation(about: { tenantName: string; inviterName: string | null; roles: string }): Words;
  guessing(name: string): Words;
  passwordChanged(name: string): Words;
  secondFactorChanged(name: string): Words;
}

const en: LetterTexts = {
  reset: (name) => ({
    subject: 'Choose a new password',
    greeting: `Hello ${name},`,
    paragraphs: ['somebody, probably you, asked to choose a new password for your Parley account.'],
    button: 'Choose a new password',
    footnotes: ['The link works once. If it was not you, do nothing: your password stays as it is.'],
  }),
  welcome: (name) => ({
    subject: 'Your operator account',
    greeting: `Hello ${name},`,
    paragraphs: [
      'you now have an operator account of this Parley deployment.',
      'Choose a password first. When you sign in you will set up a second factor; have your phone or a passkey at hand.',
    ],
    button: 'Choose a password',
    footnotes: ['The link works once, for a day.'],
  }),
  signup: (name) => ({
    subject: 'Confirm your e-mail address',
    greeting: `Hello ${name},`,
    paragraphs: ['welcome to Parley. Confirm your address, and your organisation is ready.'],
    button: 'Confirm e-mail address',
    footnotes: ['The link works for a day. If you did not sign up, do nothing, and nothing happens.'],
  }),
  alreadyRegistered: (name) => ({
    subject: 'You have an account already',
    greeting: `Hello ${name},`,
    paragraphs: [
      'somebody, probably you, tried to sign up with this address. It has an account already, so nothing was changed.',
      'Sign in as usual. If you do not know your password any more, choose a new one.',
    ],
    button: 'Choose a new password',
  }),
  invitation: ({ tenantName, inviterName, roles }) => ({
    subject: `Join ${tenantName} on Parley`,
    greeting: 'Hello,',
    paragraphs: [
      inviterName
        ? `${inviterName} invites you to ${tenantName} on Parley.`
        : `You are invited to ${tenantName} on Parley.`,
      `Your role: ${roles}.`,
    ],
    button: 'Accept invitation',
    footnotes: ['The link works for seven days. If you do not know what this is about, do nothing.'],
  }),
  guessing: (name) => ({
    subject: 'Somebody tries to sign in to your account',
    greeting: `Hello ${name},`,
    paragraphs: [
      'several wrong passwords were tried on your Parley account. We made whoever it was wait.',
      'If it was you, try again in a while. If not, your password is still unknown to them; a second factor makes it useless to them.',
    ],
  }),
  passwordChanged: (name) => ({
    subject: 'Your password was changed',
    greeting: `Hello ${name},`,
    paragraphs: ['the password of your Parley account was changed, and other sessions were ended.'],
    button: 'This was not me: choose a new password',
  }),
  secondFactorChanged: (name) => ({
    subject: 'Your second factor was changed',
    greeting: `Hello ${name},`,
    paragraphs: ['an authenticator app, recovery codes or a passkey of your Parley account was added or removed.'],
    button: 'This was not me: choose a new password',
  }),
};

const de: LetterTexts = {
  reset: (name) => ({
    subject: 'Neues Passwort wählen',
    greeting: `Guten Tag ${name},`,
    paragraphs: ['jemand, vermutlich Sie selbst, möchte für Ihr Parley-Konto ein neues Passwort wählen.'],
    button: 'Neues Passwort wählen',
    footnotes: ['Der Link gilt einmal. Waren Sie es nicht, tun Sie nichts: Ihr Passwort bleibt, wie es ist.'],
  }),
  welcome: (name) => ({
    subject: 'Ihr Betreiberkonto',
    greeting: `Guten Tag ${name},`,
    paragraphs: [
      'Sie haben jetzt ein Betreiberkonto dieser Parley-Installation.',
      'Wählen Sie zuerst ein Passwort. Beim Anmelden richten Sie einen zweiten Faktor ein; halten Sie Ihr Telefon oder einen Passkey bereit.',
    ],
    button: 'Passwort wählen',
    footnotes: ['Der Link gilt einmal und einen Tag lang.'],
  }),
  signup: (name) => ({
    subject: 'E-Mail-Adresse bestätigen',
    greeting: `Guten Tag ${name},`,
    paragraphs: ['willkommen bei Parley. Bestätigen Sie Ihre Adresse, dann ist Ihre Organisation bereit.'],
    button: 'E-Mail-Adresse bestätigen',
    footnotes: [
      'Der Link gilt einen Tag. Haben Sie sich nicht registriert, tun Sie nichts, dann geschieht auch nichts.',
    ],
  }),
  alreadyRegistered: (name) => ({
    subject: 'Sie haben bereits ein Konto',
    greeting: `Guten Tag ${name},`,
    paragraphs: [
      'jemand, vermutlich Sie selbst, wollte sich mit dieser Adresse registrieren. Zu ihr gibt es bereits ein Konto, daher wurde nichts geändert.',
      'Melden Sie sich wie gewohnt an. Wissen Sie Ihr Passwort nicht mehr, wählen Sie ein neues.',
    ],
    button: 'Neues Passwort wählen',
  }),
  invitation: ({ tenantName, inviterName, roles }) => ({
    subject: `Einladung zu ${tenantName} auf Parley`,
    greeting: 'Guten Tag,',
    paragraphs: [
      inviterName
        ? `${inviterName} lädt Sie zu ${tenantName} auf Parley ein.`
        : `Sie sind zu ${tenantName} auf Parley eingeladen.`,
      `Ihre Rolle: ${roles}.`,
    ],
    button: 'Einladung annehmen',
    footnotes: ['Der Link gilt sieben Tage. Wissen Sie nicht, worum es geht, tun Sie nichts.'],
  }),
  guessing: (name) => ({
    subject: 'Jemand versucht, sich mit Ihrem Konto anzumelden',
    greeting: `Guten Tag ${name},`,
    paragraphs: [
      'bei Ihrem Parley-Konto wurden mehrere falsche Passwörter versucht. Wer immer es war, muss jetzt warten.',
      'Waren Sie es selbst, versuchen Sie es später noch einmal. Wenn nicht: Ihr Passwort ist weiterhin unbekannt, und ein zweiter Faktor macht es für andere nutzlos.',
    ],
  }),
  passwordChanged: (name) => ({
    subject: 'Ihr Passwort wurde geändert',
    greeting: `Guten Tag ${name},`,
    paragraphs: ['das Passwort Ihres Parley-Kontos wurde geändert, andere Sitzungen wurden beendet.'],
    button: 'Das war ich nicht: neues Passwort wählen',
  }),
  secondFactorChanged: (name) => ({
    subject: 'Ihr zweiter Faktor wurde geändert',
    greeting: `Guten Tag ${name},`,
    paragraphs: [
      'bei Ihrem Parley-Konto wurde eine Authenticator-App, ein Satz Wiederherstellungscodes oder ein Passkey hinzugefügt oder entfernt.',
    ],
    button: 'Das war ich nicht: neues Passwort wählen',
  }),
};

const languages: Record<string, LetterTexts> = { en, de };
export const letterTexts = (locale: unknown): LetterTexts => languages[String(locale)] ?? en;
