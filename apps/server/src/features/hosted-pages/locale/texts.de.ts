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
    recoveryCode: 'Backup-Code',
    name: 'Ihr Name',
    organisation: 'Organisation',
  },
  passwordHint: (minLength) =>
    `Mindestens ${minLength} Zeichen. Eine Passphrase lässt sich leichter merken als Sonderzeichen.`,
  toSignIn: 'Zurück zur Anmeldung',
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
      'Der Vorgang wurde abgebrochen oder hat zu lange gedauert. Versuchen Sie es erneut oder verwenden Sie eine andere Methode.',
    needsScript: 'Passkeys funktionieren nur mit JavaScript, und das ist in diesem Browser deaktiviert.',
    notSupported: 'Dieser Browser unterstützt keine Passkeys.',
    usePassword: 'Verwenden Sie stattdessen Ihr Passwort.',
    useCode: 'Verwenden Sie stattdessen einen Code.',
    useApp: 'Verwenden Sie stattdessen eine Authenticator-App.',
    changeBrowser: 'Versuchen Sie es mit einem anderen Browser.',
    allowScript: 'Aktivieren Sie JavaScript und laden Sie die Seite neu.',
  },
  secondFactor: {
    title: 'Zwei-Faktor-Authentifizierung',
    totp: 'Geben Sie den 6-stelligen Code aus Ihrer Authenticator-App ein.',
    passkeyOnly: 'Schließen Sie die Anmeldung mit Ihrem Passkey ab.',
    recoveryOnly: 'Geben Sie einen Ihrer Backup-Codes ein. Jeder Code funktioniert nur einmal.',
    button: 'Bestätigen',
    passkey: 'Passkey verwenden',
    useRecovery: 'Stattdessen Backup-Code verwenden',
    recoveryHint:
      'Einer der Codes, die Sie beim Einrichten der Zwei-Faktor-Authentifizierung gespeichert haben. Jeder Code funktioniert nur einmal.',
    recoveryButton: 'Backup-Code verwenden',
    restart: 'Mit einem anderen Konto anmelden',
  },
  enrol: {
    title: 'Zwei-Faktor-Authentifizierung einrichten',
    required: 'Für Ihr Konto ist die Zwei-Faktor-Authentifizierung vorgeschrieben. Richten Sie sie jetzt ein.',
    optional:
      'Mit einem zweiten Schritt bei der Anmeldung bleibt Ihr Konto geschützt, selbst wenn jemand Ihr Passwort kennt.',
    passkeyHeading: 'Passkey',
    passkeyText:
      'Am schnellsten und am sichersten: mit Fingerabdruck, Gesichtserkennung, Displaysperre oder Sicherheitsschlüssel.',
    passkeyButton: 'Passkey erstellen',
    appHeading: 'Authenticator-App',
    appText: 'Scannen Sie diesen QR-Code mit Ihrer App und geben Sie dann den angezeigten 6-stelligen Code ein.',
    qr: 'QR-Code für Ihre Authenticator-App',
    cannotScan: 'Scannen klappt nicht? Geben Sie stattdessen diesen Schlüssel in der App ein:',
    codeLabel: '6-stelliger Code',
    button: 'Code bestätigen',
    skip: 'Jetzt nicht',
  },
  recoveryCodes: {
    title: 'Backup-Codes speichern',
    purpose:
      'Wenn Sie Ihr Gerät verlieren, können Sie sich mit einem dieser Codes anmelden. Jeder Code funktioniert nur einmal.',
    onlyNow: 'Die Codes werden nicht noch einmal angezeigt.',
    howToKeep: 'Drucken Sie diese Seite aus oder speichern Sie die Codes in Ihrem Passwortmanager.',
    list: 'Backup-Codes',
    kept: 'Ich habe die Codes gespeichert',
    button: 'Weiter',
  },
  forgot: {
    title: 'Passwort zurücksetzen',
    intro:
      'Geben Sie Ihre E-Mail-Adresse ein. Wir senden Ihnen einen Link, mit dem Sie Ihr Passwort zurücksetzen können.',
    button: 'Link senden',
  },
  sent: {
    title: 'Schauen Sie in Ihr Postfach',
    reset: (email) =>
      `Falls es ein Konto für ${email} gibt, haben wir einen Link zum Zurücksetzen des Passworts gesendet.`,
    signUp: (email) => `Wir haben einen Link an ${email} gesendet. Öffnen Sie ihn, um die Registrierung abzuschließen.`,
    hint: 'Nach ein paar Minuten noch nichts da? Schauen Sie im Spam-Ordner nach. Prüfen Sie sonst die Adresse und versuchen Sie es erneut.',
    again: 'Erneut senden',
    sentAgain: 'Wir haben sie noch einmal gesendet.',
  },
  reset: {
    title: 'Neues Passwort festlegen',
    forEmail: (email) => `Für ${email}`,
    button: 'Passwort ändern',
    doneTitle: 'Passwort geändert',
    doneText: 'Sie können sich jetzt mit Ihrem neuen Passwort anmelden.',
    newLink: 'Neuen Link anfordern',
  },
  invitation: {
    title: (organisation) => (organisation === '' ? 'Einladung' : `${organisation} beitreten`),
    intro: (email) => `Diese Einladung ist für ${email}.`,
    withNewAccount: 'Erstellen Sie ein Konto, um beizutreten.',
    withOldAccount: 'Sie haben bereits ein Konto. Melden Sie sich an, um die Einladung anzunehmen.',
    buttonNew: 'Konto erstellen und beitreten',
    buttonOld: 'Anmelden und annehmen',
    doneTitle: (organisation) => `Willkommen bei ${organisation}`,
    doneText: 'Ihr Konto ist bereit. Melden Sie sich an und legen Sie los.',
  },
  signUp: {
    title: 'Konto erstellen',
    organisationHint: 'Meist der Name Ihres Unternehmens. Sie können ihn später ändern.',
    button: 'Weiter',
    haveAccount: 'Sie haben bereits ein Konto?',
    busy: 'Wird geprüft …',
    failed: 'Ihr Browser konnte nicht geprüft werden. Versuchen Sie es in einer Minute erneut.',
    needsScript:
      'Die Registrierung braucht JavaScript, das in diesem Browser ausgeschaltet ist. Schalten Sie es ein und laden Sie die Seite neu.',
  },
  confirmEmail: {
    title: 'Passwort festlegen',
    text: (organisation, email) =>
      `Sie richten ${organisation} bei Parley ein, mit der E-Mail-Adresse ${email}. Falls Sie sich nicht registriert haben, schließen Sie diese Seite.`,
    button: 'Konto erstellen',
    doneTitle: 'Ihr Konto ist bereit',
    doneText: 'Ihre E-Mail-Adresse ist bestätigt. Melden Sie sich an und legen Sie los.',
  },
  signOut: {
    title: 'Abmelden?',
    text: 'Auf diesem Gerät müssen Sie sich dann neu anmelden.',
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
      next: 'Prüfen Sie beides und versuchen Sie es erneut.',
    }),
    too_many_requests: ({ wait }) => ({
      what: 'Zu viele Versuche.',
      next: wait ? `Versuchen Sie es in ${wait} erneut.` : 'Warten Sie eine Weile und versuchen Sie es dann erneut.',
    }),
    invalid_code: () => ({
      what: 'Dieser Code ist falsch oder abgelaufen.',
      next: 'Prüfen Sie ihn und versuchen Sie es erneut. Authenticator-Apps zeigen alle 30 Sekunden einen neuen Code an.',
    }),
    account_disabled: () => ({
      what: 'Dieses Konto ist deaktiviert.',
      next: 'Bitten Sie einen Admin Ihrer Organisation, es wieder zu aktivieren.',
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
      what: 'Dieses Passwort wird zu häufig verwendet.',
      next: 'Angreifer probieren solche Passwörter zuerst. Wählen Sie ein anderes.',
    }),
    password_too_long: () => ({ what: 'Dieses Passwort ist zu lang.', next: 'Wählen Sie ein kürzeres.' }),
    password_contains_email: () => ({
      what: 'Dieses Passwort enthält Ihre E-Mail-Adresse.',
      next: 'Wählen Sie ein anderes.',
    }),
    link_expired: () => ({
      what: 'Dieser Link funktioniert nicht mehr.',
      next: 'Er ist abgelaufen oder wurde bereits verwendet. Fordern Sie einen neuen an.',
    }),
    passkey_failed: () => ({
      what: 'Wir konnten diesen Passkey nicht bestätigen.',
      next: 'Versuchen Sie es erneut oder verwenden Sie eine andere Methode.',
    }),
    session_expired: () => ({
      what: 'Diese Seite ist abgelaufen.',
      next: 'Kehren Sie zur App zurück und melden Sie sich erneut an.',
    }),
    busy: ({ wait }) => ({
      what: 'Bei uns ist gerade sehr viel los.',
      next: `Wir konnten Ihre Eingaben nicht prüfen. Versuchen Sie es in ${wait ?? 'ein paar Sekunden'} erneut.`,
    }),
    invalid_fields: ({ field }) => ({
      what: field ? `Prüfen Sie das Feld „${field}“.` : 'Eine Angabe fehlt oder ist ungültig.',
      next: field ? 'Es ist leer, zu lang oder ungültig.' : 'Prüfen Sie Ihre Eingaben und versuchen Sie es erneut.',
    }),
    email_domain_blocked: () => ({
      what: 'Wegwerfadressen können hier nicht verwendet werden.',
      next: 'Verwenden Sie Ihre geschäftliche Adresse oder eine andere, die Sie dauerhaft nutzen.',
    }),
    proof_required: () => ({
      what: 'Wir konnten nicht bestätigen, dass Sie ein Mensch sind.',
      next: 'Schalten Sie JavaScript ein, schließen Sie die Prüfung ab und versuchen Sie es erneut.',
    }),
    proof_invalid: () => ({
      what: 'Die Prüfung, ob Sie ein Mensch sind, ist abgelaufen.',
      next: 'Versuchen Sie es erneut. Die Prüfung wird automatisch wiederholt.',
    }),
    captcha_unavailable: () => ({
      what: 'Die Prüfung, ob Sie ein Mensch sind, ist gerade nicht möglich.',
      next: 'Versuchen Sie es in einer Minute erneut.',
    }),
    unexpected: () => ({
      what: 'Bei uns ist etwas schiefgegangen.',
      next: 'Versuchen Sie es gleich noch einmal. Hilft das nicht, kehren Sie zur App zurück und fangen Sie von vorn an.',
    }),
  },
};
