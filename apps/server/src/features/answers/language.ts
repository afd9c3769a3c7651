/** The page's language if the bot supports it, otherwise the bot's first language. */
export function chooseLanguage(supported: readonly string[], preferred: string | undefined): string {
  const short = preferred?.slice(0, 2).toLowerCase();
  return supported.find((language) => language.slice(0, 2) === short) ?? supported[0] ?? 'en';
}

/** How much more likely another language must be than that of the page. Short messages look like several. */
const margin = 1.5;

/**
 * The bot's language in which a message was written; that of the page where the message does not tell. The detector is
 * loaded for bots with several languages only.
 */
export async function replyLanguage(
  supported: readonly string[],
  { text, language }: { text: string; language?: string | undefined },
): Promise<string> {
  const ofPage = chooseLanguage(supported, language);
  const shortTags = [...new Set(supported.map((tag) => tag.slice(0, 2)))];
  if (shortTags.length < 2) return ofPage;
  const { detectAll } = await import('tinyld');
  const words = text.slice(0, 1_000).split(/\s+/);
  const withoutEmails = words.filter((word) => !word.includes('@')).join(' '); // an address is in no language
  const detected = detectAll(withoutEmails, { only: shortTags });
  const [best] = detected;
  const expected = detected.find(({ lang }) => lang === ofPage.slice(0, 2))?.accuracy ?? 0;
  if (!best || best.accuracy < margin * expected) return ofPage;
  return chooseLanguage(supported, best.lang);
}

/** The bot's languages, that of the message first. */
export async function likelyFirst(
  supported: readonly string[],
  message: { text: string; language?: string | undefined },
) {
  const likely = await replyLanguage(supported, message);
  return [likely, ...supported.filter((language) => language !== likely)];
}
