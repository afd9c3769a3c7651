import type { Texts } from './texts.ts';

export const de: Texts = {
  locale: 'de',
  direction: 'ltr',
  languageName: 'Deutsch',
  languages: 'Sprache',
  or: 'oder',
  fields: {
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    newPassword: 'Neues Passwort',
    code: 'Code',
    recoveryCode: 'Notfallcode',
    name: 'Ihr Name',
    organisation: 'Organisation',
  },
  passwordHint: (minLength) => `Mindestens ${minLength} Zeichen. Gut sind mehrere Wörter ohne Zusammenhang.`,
  toSignIn: 'Zur Anmeldung',
  signIn: {
    title: 'Anmelden',
    continueTo: (client) => `Weiter zu ${client}`,
    button: 'Anmelden',
    passkey: 'Mit Passkey anmelden',
    forgot: 'Passwort vergessen?',
    noAccount: 'Neu bei Parley?',
    createAccount: 'Konto erstellen',
  },
  passkey: {
    busy: 'Warten auf Ihren Passkey …',
    failed:
      'Der Passkey wurde nicht verwendet: Der Vorgang wurde abgebrochen oder hat zu lange gedauert. Versuchen Sie es noch einmal oder wählen Sie einen anderen Weg.',
    needsScript: 'Passkeys brauchen JavaScript, das in diesem Browser ausgeschaltet ist.',
    notSupported: 'Dieser Browser unterstützt keine Passkeys.',
    usePassword: 'Verwenden Sie stattdessen Ihr Passwort.',
    useCode: 'Verwenden Sie stattdessen einen Code.',
    useApp: 'Verwenden Sie stattdessen eine Authenticator-App.',
    changeBrowser: 'Öffnen Sie diese Seite in einem anderen Browser.',
    allowScript: 'Schalten Sie es ein und laden Sie die Seite neu.',
  },
  secondFactor: {
    title: 'Bestätigen Sie Ihre Anmeldung',
    totp: 'Geben Sie den 6-stelligen Code ein, den Ihre Authenticator-App gerade anzeigt.',
    passkeyOnly: 'Schließen Sie die Anmeldung mit Ihrem Passkey ab.',
    recoveryOnly: 'Geben Sie einen der Notfallcodes ein, die Sie aufbewahrt haben. Jeder gilt nur einmal.',
    button: 'Bestätigen',
    passkey: 'Passkey verwenden',
    useRecovery: 'Stattdessen einen Notfallcode verwenden',
    recoveryHint: 'Einer der Codes, die Sie beim Schützen Ihres Kontos aufbewahrt haben. Jeder gilt nur einmal.',
    recoveryButton: 'Notfallcode verwenden',
    restart: 'Mit einem anderen Konto anmelden',
  },
  enrol: {
    title: 'Schützen Sie Ihr Konto',
    required: 'Ihr Konto verlangt bei der Anmeldung einen zweiten Schritt. Richten Sie ihn ein, um fortzufahren.',
    optional: 'Ein zweiter Schritt bei der Anmeldung hält andere fern, selbst wenn sie Ihr Passwort kennen.',
    passkeyHeading: 'Mit einem Passkey',
    passkeyText:
      'Der schnellste und sicherste Weg: Ihr Fingerabdruck, Ihr Gesicht, Ihre Bildschirmsperre oder ein Sicherheitsschlüssel.',
    passkeyButton: 'Passkey erstellen',
    appHeading: 'Mit einer Authenticator-App',
    appText: 'Scannen Sie diesen QR-Code mit der App. Die App zeigt dann alle 30 Sekunden einen neuen Code an.',
    qr: 'QR-Code für Ihre Authenticator-App',
    cannotScan: 'Scannen geht nicht? Geben Sie diesen Schlüssel in der App ein:',
    codeLabel: '6-stelliger Code aus der App',
    button: 'Code bestätigen',
    skip: 'Jetzt nicht',
  },
  recoveryCodes: {
    title: 'Bewahren Sie Ihre Notfallcodes auf',
    purpose: 'Wenn Sie Ihr Gerät verlieren, kommen Sie mit einem dieser Codes in Ihr Konto. Jeder gilt nur einmal.',
    onlyNow: 'Sie werden nur jetzt angezeigt.',
    howToKeep: 'Drucken Sie diese Seite oder kopieren Sie die Codes in Ihren Passwortmanager.',
    list: 'Notfallcodes',
    kept: 'Ich habe sie sicher aufbewahrt',
    button: 'Weiter',
  },
  forgot: {
    title: 'Passwort zurücksetzen',
    intro: 'Wir senden Ihnen einen Link, mit dem Sie ein neues wählen.',
    button: 'Link senden',
  },
  sent: {
    title: 'Sehen Sie in Ihr Postfach',
    reset: (email) => `Wenn es ein Konto für ${email} gibt, ist ein Link zum Wählen eines neuen Passworts unterwegs.`,
    signUp: (email) => `Wir haben an ${email} geschrieben. Öffnen Sie den Link in der Nachricht, um fortzufahren.`,
    hint: 'Nach einigen Minuten nichts da? Sehen Sie im Spam-Ordner nach, prüfen Sie dann die Adresse und versuchen Sie es noch einmal.',
  },
  reset: {
    title: 'Neues Passwort wählen',
    forEmail: (email) => `Für ${email}`,
    button: 'Passwort ändern',
    doneTitle: 'Ihr Passwort ist geändert',
    doneText: 'Melden Sie sich ab jetzt mit dem neuen an.',
    newLink: 'Neuen Link anfordern',
  },
  invitation: {
    title: (organisation) => `${organisation} beitreten`,
    intro: (organisation, email) => `${organisation} hat ${email} eingeladen.`,
    withNewAccount: 'Erstellen Sie Ihr Konto, um beizutreten.',
    withOldAccount: 'Sie treten mit dem Konto bei, das Sie schon haben.',
    buttonNew: 'Konto erstellen und beitreten',
    buttonOld: 'Einladung annehmen',
    doneTitle: (organisation) => `Willkommen bei ${organisation}`,
    doneText: 'Sie sind jetzt Mitglied. Melden Sie sich an, um zu beginnen.',
  },
  signUp: {
    title: 'Konto erstellen',
    organisationHint: 'Meist der Name Ihrer Firma. Sie können ihn später ändern.',
    button: 'Konto erstellen',
    haveAccount: 'Sie haben schon ein Konto?',
  },
  confirmEmail: {
    title: 'E-Mail-Adresse bestätigen',
    text: 'Ein Klick, und Ihr Konto ist bereit.',
    button: 'Adresse bestätigen',
    doneTitle: 'Ihre Adresse ist bestätigt',
    doneText: 'Ihr Konto ist bereit. Sie können sich jetzt anmelden.',
  },
  signOut: {
    title: 'Abmelden?',
    text: 'Sie müssen sich auf diesem Gerät dann neu anmelden.',
    button: 'Abmelden',
  },
  signedOut: {
    title: 'Sie sind abgemeldet',
    text: 'Sie können diese Seite schließen.',
    signInAgain: 'Erneut anmelden',
  },
  errors: {
    invalid_credentials: () => ({
      what: 'E-Mail-Adresse oder Passwort ist falsch.',
      next: 'Prüfen Sie beides und versuchen Sie es noch einmal.',
    }),
    too_many_requests: ({ wait }) => ({
      what: 'Zu viele Versuche.',
      next: wait
        ? `Bitte warten Sie zum Schutz des Kontos ${wait}. Versuchen Sie es dann noch einmal.`
        : 'Bitte warten Sie etwas und versuchen Sie es dann noch einmal.',
    }),
    invalid_code: () => ({
      what: 'Dieser Code ist falsch oder gilt nicht mehr.',
      next: 'Prüfen Sie ihn und versuchen Sie es noch einmal. Eine App zeigt alle 30 Sekunden einen neuen Code an.',
    }),
    account_disabled: () => ({
      what: 'Dieses Konto ist gesperrt.',
      next: 'Ein Administrator Ihrer Organisation kann es wieder freigeben.',
    }),
    no_membership: () => ({
      what: 'Dieses Konto gehört zu keiner Organisation.',
      next: 'Bitten Sie um eine Einladung oder melden Sie sich mit einem anderen Konto an.',
    }),
    password_too_short: ({ minLength }) => ({
      what: 'Dieses Passwort ist zu kurz.',
      next: minLength ? `Verwenden Sie mindestens ${minLength} Zeichen.` : 'Wählen Sie ein längeres.',
    }),
    password_too_common: () => ({
      what: 'Dieses Passwort ist leicht zu erraten.',
      next: 'Viele verwenden es, deshalb probieren Angreifer es zuerst. Wählen Sie ein anderes.',
    }),
    password_too_long: () => ({ what: 'Dieses Passwort ist zu lang.', next: 'Wählen Sie ein kürzeres.' }),
    password_contains_email: () => ({
      what: 'Dieses Passwort enthält Ihre E-Mail-Adresse.',
      next: 'Das ist leicht zu erraten. Wählen Sie ein anderes.',
    }),
    link_expired: () => ({
      what: 'Dieser Link funktioniert nicht mehr.',
      next: 'Er ist abgelaufen oder wurde schon verwendet. Fordern Sie einen neuen an.',
    }),
    passkey_failed: () => ({
      what: 'Dieser Passkey wurde nicht angenommen.',
      next: 'Versuchen Sie es noch einmal oder wählen Sie einen anderen Weg.',
    }),
    session_expired: () => ({
      what: 'Diese Seite war zu lange geöffnet.',
      next: 'Gehen Sie dorthin zurück, woher Sie kamen, und melden Sie sich erneut an.',
    }),
    busy: ({ wait }) => ({
      what: 'Bei uns ist gerade sehr viel los.',
      next: `Ihre Eingaben können richtig sein. Versuchen Sie es in ${wait ?? 'ein paar Sekunden'} noch einmal.`,
    }),
    invalid_fields: ({ field }) => ({
      what: field ? `Bitte prüfen Sie „${field}“.` : 'Etwas fehlt oder ist ungültig.',
      next: field
        ? 'Das Feld ist leer, zu lang oder ungültig ausgefüllt.'
        : 'Prüfen Sie Ihre Eingaben und versuchen Sie es noch einmal.',
    }),
    unexpected: () => ({
      what: 'Bei uns ist etwas schiefgegangen.',
      next: 'Versuchen Sie es gleich noch einmal. Hilft das nicht, gehen Sie dorthin zurück, woher Sie kamen, und beginnen Sie von vorn.',
    }),
  },
};
