/** Our own few words, where the bot has none of its own. In the language the page is in, as far as we have it. */
interface Texts {
  greeting: string;
  noAnswer: string;
  /** Nothing could be looked up properly: said rather than guessed. */
  trouble: string;
  cut: string;
}

/** What is said about actions. `{it}` stands for what it is called, or what is asked for. Nothing here claims more than is known. */
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
    greeting: 'Hello! What would you like to know?',
    noAnswer: 'I could not find an answer to that in our help pages. Try other words, or ask to speak to a person.',
    trouble:
      'I cannot look that up properly right now. Please try again in a few minutes, or ask to speak to a person.',
    cut: '_The answer broke off here. Please ask again._',
  },
  de: {
    greeting: 'Hallo! Was möchten Sie wissen?',
    noAnswer:
      'Dazu habe ich in unseren Hilfeseiten keine Antwort gefunden. Versuchen Sie es mit anderen Worten, oder fragen Sie nach einem Menschen.',
    trouble:
      'Das kann ich gerade nicht richtig nachsehen. Bitte versuchen Sie es in ein paar Minuten noch einmal, oder fragen Sie nach einem Menschen.',
    cut: '_Die Antwort ist hier abgebrochen. Bitte fragen Sie noch einmal._',
  },
  fr: {
    greeting: 'Bonjour ! Que souhaitez-vous savoir ?',
    noAnswer:
      'Je n’ai pas trouvé de réponse dans nos pages d’aide. Essayez avec d’autres mots, ou demandez à parler à une personne.',
    trouble:
      'Je ne peux pas bien chercher cela pour le moment. Réessayez dans quelques minutes, ou demandez à parler à une personne.',
    cut: '_La réponse s’est interrompue ici. Veuillez reposer la question._',
  },
  es: {
    greeting: '¡Hola! ¿Qué le gustaría saber?',
    noAnswer:
      'No he encontrado una respuesta en nuestras páginas de ayuda. Pruebe con otras palabras o pida hablar con una persona.',
    trouble: 'Ahora mismo no puedo buscarlo bien. Inténtelo de nuevo en unos minutos o pida hablar con una persona.',
    cut: '_La respuesta se ha interrumpido aquí. Vuelva a preguntar, por favor._',
  },
};

const actionTexts: Record<string, ActionTexts> = {
  en: {
    confirm: 'Please check this and confirm. Nothing is done before you do.',
    done: 'Done: {it}.',
    failed: 'That did not work: {it}. Nothing was changed.',
    notLookedUp: 'I could not look that up right now: {it}. Please try again in a few minutes.',
    unknown:
      'I could not find out whether this was done: {it}. Please check before you try again. Our team has been told.',
    working: 'This takes a little longer: {it}. I will tell you here how it went.',
    declined: 'All right, I have not done it: {it}.',
    expired: 'You did not confirm in time, so nothing was done: {it}.',
    cancelled: 'Nothing was done: {it}.',
    doneAfterAll: 'News about “{it}”: it was done after all.',
    notDoneAfterAll: 'News about “{it}”: it was not done.',
    signIn: 'I can do that for you once you are signed in: {it}. Please sign in on this site and ask again.',
    ask: '{it}?',
    askAgain: 'I could not use that. {it} Say “cancel” to stop.',
    gaveUp: 'I could not make sense of that, so I have done nothing. Ask again whenever you like.',
  },
  de: {
    confirm: 'Bitte prüfen und bestätigen Sie das. Vorher geschieht nichts.',
    done: 'Erledigt: {it}.',
    failed: 'Das hat nicht geklappt: {it}. Es wurde nichts geändert.',
    notLookedUp: 'Das konnte ich gerade nicht nachsehen: {it}. Bitte versuchen Sie es in ein paar Minuten noch einmal.',
    unknown:
      'Ich konnte nicht herausfinden, ob das erledigt wurde: {it}. Bitte prüfen Sie es, bevor Sie es noch einmal versuchen. Unser Team ist informiert.',
    working: 'Das dauert etwas länger: {it}. Ich sage Ihnen hier, wie es ausgegangen ist.',
    declined: 'In Ordnung, ich habe es nicht getan: {it}.',
    expired: 'Sie haben nicht rechtzeitig bestätigt, es ist also nichts geschehen: {it}.',
    cancelled: 'Es ist nichts geschehen: {it}.',
    doneAfterAll: 'Neues zu „{it}“: Es wurde doch erledigt.',
    notDoneAfterAll: 'Neues zu „{it}“: Es wurde nicht erledigt.',
    signIn:
      'Das kann ich für Sie tun, sobald Sie angemeldet sind: {it}. Bitte melden Sie sich hier an und fragen Sie noch einmal.',
    ask: '{it}?',
    askAgain: 'Damit kann ich nichts anfangen. {it} Mit „abbrechen“ hören wir auf.',
    gaveUp: 'Das habe ich nicht verstanden und deshalb nichts getan. Fragen Sie gern noch einmal.',
  },
  fr: {
    confirm: 'Veuillez vérifier et confirmer. Rien n’est fait avant.',
    done: 'C’est fait : {it}.',
    failed: 'Cela n’a pas fonctionné : {it}. Rien n’a été modifié.',
    notLookedUp: 'Je n’ai pas pu le consulter pour le moment : {it}. Réessayez dans quelques minutes.',
    unknown: 'Je n’ai pas pu savoir si cela a été fait : {it}. Vérifiez avant de réessayer. Notre équipe est prévenue.',
    working: 'Cela prend un peu plus de temps : {it}. Je vous dirai ici ce qu’il en est.',
    declined: 'D’accord, je ne l’ai pas fait : {it}.',
    expired: 'Vous n’avez pas confirmé à temps, rien n’a été fait : {it}.',
    cancelled: 'Rien n’a été fait : {it}.',
    doneAfterAll: 'Du nouveau pour « {it} » : c’est finalement fait.',
    notDoneAfterAll: 'Du nouveau pour « {it} » : cela n’a pas été fait.',
    signIn: 'Je peux le faire une fois que vous êtes connecté : {it}. Connectez-vous sur ce site et redemandez.',
    ask: '{it} ?',
    askAgain: 'Je n’ai pas pu utiliser cela. {it} Dites « annuler » pour arrêter.',
    gaveUp: 'Je n’ai pas compris, je n’ai donc rien fait. Redemandez quand vous voulez.',
  },
  es: {
    confirm: 'Compruébelo y confirme, por favor. Antes no se hace nada.',
    done: 'Hecho: {it}.',
    failed: 'No ha funcionado: {it}. No se ha cambiado nada.',
    notLookedUp: 'No he podido consultarlo ahora: {it}. Inténtelo de nuevo en unos minutos.',
    unknown:
      'No he podido averiguar si se ha hecho: {it}. Compruébelo antes de intentarlo otra vez. Nuestro equipo está avisado.',
    working: 'Esto tarda un poco más: {it}. Le diré aquí cómo ha ido.',
    declined: 'De acuerdo, no lo he hecho: {it}.',
    expired: 'No ha confirmado a tiempo, así que no se ha hecho nada: {it}.',
    cancelled: 'No se ha hecho nada: {it}.',
    doneAfterAll: 'Novedades sobre «{it}»: al final se ha hecho.',
    notDoneAfterAll: 'Novedades sobre «{it}»: no se ha hecho.',
    signIn: 'Puedo hacerlo cuando haya iniciado sesión: {it}. Inicie sesión en este sitio y vuelva a preguntar.',
    ask: '¿{it}?',
    askAgain: 'No he podido usar eso. {it} Diga «cancelar» para parar.',
    gaveUp: 'No lo he entendido, así que no he hecho nada. Pregunte de nuevo cuando quiera.',
  },
};

export const actionTextsIn = (language: string): ActionTexts =>
  actionTexts[language.slice(0, 2)] ?? (actionTexts['en'] as ActionTexts);

/** What somebody says who has changed their mind. */
const cancelling =
  /^(no|nope|cancel|stop|never ?mind|forget it|nein|abbrechen|abbruch|stopp|vergiss es|annuler|non|arr[eê]ter|cancelar|no gracias|parar)[\s!.]*$/iu;
export const isCancelling = (text: string) => cancelling.test(text.trim());

export const textsIn = (language: string): Texts => texts[language.slice(0, 2)] ?? (texts['en'] as Texts);

/** The page's language where the bot speaks it, else the bot's first. */
export function chooseLanguage(spoken: readonly string[], wanted: string | undefined): string {
  const short = wanted?.slice(0, 2).toLowerCase();
  return spoken.find((language) => language.slice(0, 2) === short) ?? spoken[0] ?? 'en';
}

const greetings =
  /^(hi+|hey+|hello|hallo+|moin|servus|guten (tag|morgen|abend)|good (morning|afternoon|evening)|bonjour|salut|hola|buenos d[ií]as|grüezi|grüß gott)( (there|zusammen|all|everyone))?[\s!.,:)👋]*$/iu;

/** A greeting and nothing else: not a question that the knowledge could answer. */
export const isGreeting = (question: string) => greetings.test(question.trim());
