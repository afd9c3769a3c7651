import type { Texts } from './types.ts';

export const de: Texts = {
  greeting: 'Hallo! Wie kann ich Ihnen helfen?',
  noAnswer:
    'Dazu habe ich auf unseren Hilfeseiten leider nichts gefunden. Versuchen Sie es gern mit einer anderen Formulierung.',
  orPerson: 'Sie können auch darum bitten, mit einem Menschen zu sprechen.',
  trouble: 'Das kann ich gerade leider nicht nachschlagen. Bitte versuchen Sie es in ein paar Minuten noch einmal.',
  cut: '_Die Antwort wurde unterbrochen. Bitte fragen Sie noch einmal._',
  handedOff: 'Ich habe Ihren Chat an unser Team weitergegeben. Sie erhalten hier eine Antwort.',
  noPerson:
    'Leider kann ich Sie in diesem Chat mit niemandem verbinden. Stellen Sie mir gern Ihre Frage, und ich suche auf unseren Hilfeseiten nach einer Antwort.',
  thanks: 'Gern geschehen! Kann ich sonst noch etwas für Sie tun?',
  goodbye: 'Auf Wiedersehen! Melden Sie sich jederzeit, wenn Sie eine Frage haben.',
  abuse:
    'Es tut mir leid, dass Sie verärgert sind. Sagen Sie mir kurz, worum es geht, und ich versuche es noch einmal.',
  identity: 'Ich bin ein Chatbot, kein Mensch. Ich beantworte Fragen anhand unserer Hilfeseiten.',
  stop: 'In Ordnung, dann belassen wir es dabei. Schreiben Sie mir jederzeit wieder.',
  replyEmail: {
    ask: 'Wenn Sie hier nicht warten möchten, schreiben Sie Ihre E-Mail-Adresse. Dann antworten wir auch per E-Mail.',
    noted: 'Vielen Dank. Wir senden unsere Antwort auch an {email}.',
    subject: '{title}: Antwort auf Ihren Chat',
    hello: 'Guten Tag,',
    intro: '{name} hat auf Ihren Chat geantwortet:',
    team: 'Unser Team',
    button: 'Chat fortsetzen',
    why: 'Sie erhalten diese E-Mail, weil diese Adresse im Chat „{title}“ angegeben wurde. Wenn Sie das nicht waren, können Sie die E-Mail ignorieren.',
  },
  actions: {
    confirm: 'Bitte prüfen Sie die Angaben und bestätigen Sie. Vorher unternehme ich nichts.',
    done: 'Erledigt: {it}.',
    failed: 'Das hat leider nicht geklappt: {it}. Es wurde nichts geändert.',
    notLookedUp:
      'Das konnte ich gerade nicht nachschlagen: {it}. Bitte versuchen Sie es in ein paar Minuten noch einmal.',
    unknown:
      'Ich kann nicht sicher sagen, ob das geklappt hat: {it}. Bitte prüfen Sie es, bevor Sie es noch einmal versuchen. Unser Team ist informiert.',
    working: 'Das dauert etwas länger: {it}. Ich melde mich hier mit dem Ergebnis.',
    declined: 'In Ordnung, das mache ich nicht: {it}.',
    expired: 'Sie haben nicht rechtzeitig bestätigt, deshalb ist nichts passiert: {it}.',
    cancelled: 'Es ist nichts passiert: {it}.',
    doneAfterAll: 'Neues zu „{it}“: Es hat doch noch geklappt.',
    notDoneAfterAll: 'Neues zu „{it}“: Es hat nicht geklappt.',
    signIn:
      'Das kann ich für Sie erledigen, sobald Sie angemeldet sind: {it}. Bitte melden Sie sich auf dieser Website an und fragen Sie noch einmal.',
    ask: '{it}?',
    askAgain: 'Das passt leider nicht. {it} Mit „abbrechen“ können Sie aufhören.',
    gaveUp: 'Das habe ich leider nicht verstanden und deshalb nichts unternommen. Fragen Sie gern noch einmal.',
  },
};
