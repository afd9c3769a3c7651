/** Default messages for bots that set none, in the page's language if supported. */
interface Texts {
  greeting: string;
  noAnswer: string;
  /** Sent when the lookup failed. */
  trouble: string;
  cut: string;
}

/**
 * Messages about actions. `{it}` is replaced by the name of the action or the requested input. They must not claim more
 * than is known.
 */
export interface ActionTexts {
  confirm: string;
  done: string;
  failed: string;
  notLookedUp: string;
  unknown: string;
  working: string;
  declined: string;
  expired: string;
  cancelled: string;
  doneAfterAll: string;
  notDoneAfterAll: string;
  signIn: string;
  ask: string;
  askAgain: string;
  gaveUp: string;
}

const texts: Record<string, Texts> = {
  en: {
    greeting: 'Hi! How can I help?',
    noAnswer:
      'Sorry, I couldn’t find an answer to that in our help pages. Try rephrasing your question, or ask to talk to a person.',
    trouble: 'Sorry, I can’t look that up right now. Please try again in a few minutes, or ask to talk to a person.',
    cut: '_The answer was cut off. Please ask again._',
  },
  de: {
    greeting: 'Hallo! Wie kann ich Ihnen helfen?',
    noAnswer:
      'Dazu habe ich auf unseren Hilfeseiten leider nichts gefunden. Formulieren Sie Ihre Frage anders oder bitten Sie darum, mit einem Menschen zu sprechen.',
    trouble:
      'Das kann ich gerade leider nicht nachschlagen. Bitte versuchen Sie es in ein paar Minuten noch einmal oder bitten Sie darum, mit einem Menschen zu sprechen.',
    cut: '_Die Antwort wurde unterbrochen. Bitte fragen Sie noch einmal._',
  },
  fr: {
    greeting: 'Bonjour\u00a0! Comment puis-je vous aider\u00a0?',
    noAnswer:
      'Désolé, je n’ai pas trouvé de réponse dans nos pages d’aide. Reformulez votre question ou demandez à parler à un conseiller.',
    trouble:
      'Désolé, je ne peux pas faire cette recherche pour le moment. Réessayez dans quelques minutes ou demandez à parler à un conseiller.',
    cut: '_La réponse a été interrompue. Veuillez reposer la question._',
  },
  es: {
    greeting: '¡Hola! ¿En qué puedo ayudarte?',
    noAnswer:
      'Lo siento, no encontré una respuesta en nuestras páginas de ayuda. Prueba a preguntarlo de otra forma o pide hablar con una persona.',
    trouble:
      'Lo siento, ahora mismo no puedo consultarlo. Inténtalo de nuevo en unos minutos o pide hablar con una persona.',
    cut: '_La respuesta se cortó. Vuelve a preguntar, por favor._',
  },
};

const actionTexts: Record<string, ActionTexts> = {
  en: {
    confirm: 'Please check the details and confirm. I won’t do anything until you do.',
    done: 'Done: {it}.',
    failed: 'That didn’t work: {it}. Nothing was changed.',
    notLookedUp: 'I couldn’t look that up right now: {it}. Please try again in a few minutes.',
    unknown:
      'I couldn’t confirm whether this went through: {it}. Please check before you try again. Our team has been notified.',
    working: 'This is taking a little longer: {it}. I’ll post the result here.',
    declined: 'OK, I won’t do that: {it}.',
    expired: 'You didn’t confirm in time, so nothing was done: {it}.',
    cancelled: 'Nothing was done: {it}.',
    doneAfterAll: 'Update on “{it}”: it went through after all.',
    notDoneAfterAll: 'Update on “{it}”: it didn’t go through.',
    signIn: 'I can do that once you’re signed in: {it}. Please sign in on this site and ask again.',
    ask: '{it}?',
    askAgain: 'Sorry, that doesn’t look right. {it} Type “cancel” to stop.',
    gaveUp: 'Sorry, I didn’t understand that, so I haven’t done anything. Feel free to ask again.',
  },
  de: {
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
  fr: {
    confirm: 'Veuillez vérifier les informations et confirmer. Je ne ferai rien avant.',
    done: 'C’est fait\u00a0: {it}.',
    failed: 'Cela n’a pas fonctionné\u00a0: {it}. Rien n’a été modifié.',
    notLookedUp: 'Je n’ai pas pu consulter cette information\u00a0: {it}. Réessayez dans quelques minutes.',
    unknown:
      'Je n’arrive pas à savoir si cela a abouti\u00a0: {it}. Vérifiez avant de réessayer. Notre équipe est prévenue.',
    working: 'Cela prend un peu plus de temps\u00a0: {it}. Je vous donnerai le résultat ici.',
    declined: 'D’accord, je ne le fais pas\u00a0: {it}.',
    expired: 'Vous n’avez pas confirmé à temps, rien n’a donc été fait\u00a0: {it}.',
    cancelled: 'Rien n’a été fait\u00a0: {it}.',
    doneAfterAll: 'Du nouveau pour «\u00a0{it}\u00a0»\u00a0: c’est finalement fait.',
    notDoneAfterAll: 'Du nouveau pour «\u00a0{it}\u00a0»\u00a0: cela n’a pas abouti.',
    signIn:
      'Je peux le faire dès que vous serez connecté\u00a0: {it}. Connectez-vous sur ce site, puis reposez votre question.',
    ask: '{it}\u00a0?',
    askAgain: 'Désolé, cela ne convient pas. {it} Écrivez «\u00a0annuler\u00a0» pour arrêter.',
    gaveUp: 'Désolé, je n’ai pas compris et je n’ai rien fait. N’hésitez pas à redemander.',
  },
  es: {
    confirm: 'Revisa los datos y confirma, por favor. No haré nada hasta entonces.',
    done: 'Hecho: {it}.',
    failed: 'No funcionó: {it}. No se cambió nada.',
    notLookedUp: 'No pude consultarlo ahora mismo: {it}. Inténtalo de nuevo en unos minutos.',
    unknown:
      'No pude comprobar si se completó: {it}. Compruébalo antes de intentarlo otra vez. Ya hemos avisado a nuestro equipo.',
    working: 'Esto está tardando un poco más: {it}. Te diré aquí el resultado.',
    declined: 'De acuerdo, no lo haré: {it}.',
    expired: 'No confirmaste a tiempo, así que no se hizo nada: {it}.',
    cancelled: 'No se hizo nada: {it}.',
    doneAfterAll: 'Novedades sobre «{it}»: al final se completó.',
    notDoneAfterAll: 'Novedades sobre «{it}»: no se completó.',
    signIn: 'Puedo hacerlo cuando inicies sesión: {it}. Inicia sesión en este sitio y vuelve a preguntar.',
    ask: '¿{it}?',
    askAgain: 'Lo siento, eso no es válido. {it} Escribe «cancelar» para parar.',
    gaveUp: 'Lo siento, no lo entendí, así que no hice nada. Pregunta de nuevo cuando quieras.',
  },
};

export const actionTextsIn = (language: string): ActionTexts =>
  actionTexts[language.slice(0, 2)] ?? (actionTexts['en'] as ActionTexts);

/** A message that cancels an action. */
const cancelling =
  /^(no|nope|cancel|stop|never ?mind|forget it|nein|abbrechen|abbruch|stopp|vergiss es|annuler|non|arr[eê]ter|cancelar|no gracias|parar)[\s!.]*$/iu;
export const isCancelling = (text: string) => cancelling.test(text.trim());

export const textsIn = (language: string): Texts => texts[language.slice(0, 2)] ?? (texts['en'] as Texts);

/** The page's language if the bot supports it, otherwise the bot's first language. */
export function chooseLanguage(supported: readonly string[], preferred: string | undefined): string {
  const short = preferred?.slice(0, 2).toLowerCase();
  return supported.find((language) => language.slice(0, 2) === short) ?? supported[0] ?? 'en';
}

const greetings =
  /^(hi+|hey+|hello|hallo+|moin|servus|guten (tag|morgen|abend)|good (morning|afternoon|evening)|bonjour|salut|hola|buenos d[ií]as|grüezi|grüß gott)( (there|zusammen|all|everyone))?[\s!.,:)👋]*$/iu;

/** Whether the message is only a greeting, which needs no search. */
export const isGreeting = (question: string) => greetings.test(question.trim());
