/** Our own few words, where the bot has none of its own. In the language the page is in, as far as we have it. */
interface Texts {
  greeting: string;
  noAnswer: string;
  /** Nothing could be looked up properly: said rather than guessed. */
  trouble: string;
  cut: string;
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
