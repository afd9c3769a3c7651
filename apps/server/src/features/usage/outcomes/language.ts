const unknown = 'und';
const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** How much more likely the language must be than the next one. */
const margin = 1.5;

/**
 * The language of a conversation's first message: that of the page, otherwise the one in which the message seems to be
 * written, otherwise `und`. Only codes of ISO 639-1 that exist, so that a visitor cannot make up any number of languages.
 */
export async function languageOf(text: string, ofPage: string | undefined): Promise<string> {
  const code = ofPage?.slice(0, 2).toLowerCase() ?? '';
  if (isLanguage(code) && !/^[a-z]/i.test(ofPage?.slice(2) ?? '')) return code;
  const { detectAll } = await import('tinyld');
  const [best, next] = detectAll(text.slice(0, 1_000));
  if (!best || best.accuracy < margin * (next?.accuracy ?? 0)) return unknown;
  return isLanguage(best.lang) ? best.lang : unknown;
}

const isLanguage = (code: string) => /^[a-z]{2}$/.test(code) && names.of(code) !== undefined;
