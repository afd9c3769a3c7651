interface Content {
  /** The title of a document, or a heading in it. */
  topic: string;
  language: string | null;
}

const maxLength = 80;

/** A question that the content probably answers. */
export function exampleQuestion(content: Content | undefined): string {
  const topic = content?.topic.trim().replace(/[.:!]$/, '');
  if (!topic || topic.length > maxLength) return 'What are your opening hours?';
  if (topic.endsWith('?')) return topic;
  // A topic with a question mark is a question in every language.
  if (content?.language?.slice(0, 2) !== 'en') return `${topic}?`;
  return `What can you tell me about ${inSentence(topic)}?`;
}

/** "Opening hours" is in lower case within a sentence, "FAQ" and "Terms of Northlight" stay as they are. */
const inSentence = (topic: string) =>
  /^\p{Lu}[^\p{Lu}]*$/u.test(topic) ? topic.charAt(0).toLowerCase() + topic.slice(1) : topic;

/** The headings of an excerpt: the last one above it, and those of short sections in it, which are a bold line. */
export const headingsOf = ({ heading, text }: { heading: string; text: string }): string[] => [
  heading.split(' › ').at(-1) ?? '',
  ...[...text.matchAll(/^\*\*([^*\n]+)\*\*$/gm)].map(([, line = '']) => line),
];
