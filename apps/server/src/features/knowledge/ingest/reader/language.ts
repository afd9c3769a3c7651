import { detectAll } from 'tinyld';

/** Nonsense text is often detected as one of these, and help pages are not written in them. */
const never = new Set(['la', 'eo', 'vo', 'tlh', 'ber']);

/** ISO 639-1, or null if the text is too short or the result is ambiguous. */
export function languageOf(text: string): string | null {
  const sample = text
    .slice(0, 20_000)
    .replaceAll(/https?:\/\/\S+|[`*_#>|[\]()\d]+/g, ' ')
    .slice(0, 4_000);
  if (sample.replaceAll(/\s+/g, '').length < 40) return null;
  const [best, second] = detectAll(sample);
  if (!best || never.has(best.lang) || best.lang.length !== 2) return null;
  const isSure = best.accuracy >= 0.15 && best.accuracy >= 2 * (second?.accuracy ?? 0);
  return isSure ? best.lang : null;
}
