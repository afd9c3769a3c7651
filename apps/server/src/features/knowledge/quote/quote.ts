import { configOf, toPlainText, tokensOf } from '../chunk/tokens.ts';
import { unitsOf, type Unit } from './blocks.ts';
import { linksFrom, named } from './links.ts';
import { isChatter } from '../search/chatter.ts';
import { synonyms } from '../search/synonyms.ts';
import type { Found } from '../search/search.ts';

/** What is needed to show where an answer is from. */
export interface Citation {
  n: number;
  documentId: string;
  place: number;
  title: string;
  url: string | null;
  heading: string;
}

export interface Quote {
  /** Markdown: who is quoted, with [1] for the first citation, and then their tokens. */
  text: string;
  citations: Citation[];
}

const maxWords = 90;
/** Below this share of the best score, another chunk is another matter. */
const close = 0.85;

const ours: Record<string, { from: string; also: string }> = {
  en: { from: 'From', also: 'Also from' },
  de: { from: 'Aus', also: 'Auch aus' },
  fr: { from: 'Extrait de', also: 'Aussi dans' },
  es: { from: 'De', also: 'También de' },
};

/** The tokens of the sources that answer a question, as they stand there. Nothing is put into other tokens. */
export function quote(question: string, chunks: readonly Found[], { language }: { language: string }): Quote {
  const [best] = chunks;
  if (!best) return { text: '', citations: [] };
  const asked = askedTokens(question, language);
  const first = { chunk: best, text: excerpt(best, asked, language) };
  const second = chunks
    .slice(1)
    .filter(({ score }) => score >= close * best.score)
    .filter((chunk) => named(chunk) !== named(best))
    .map((chunk) => ({ chunk, text: excerpt(chunk, asked, language) }))
    .find(({ text }) => addsTo(first.text, text, asked));
  const parts = second ? [first, second] : [first];
  const { from, also } = ours[language.toLowerCase().split(/[-_]/)[0] ?? ''] ?? { from: 'From', also: 'Also from' };
  return {
    text: parts
      .map(({ chunk, text }, n) => `${n === 0 ? from : also} **${named(chunk)}** [${n + 1}]:\n\n${text}`)
      .join('\n\n'),
    citations: parts.map(({ chunk: { documentId, place, title, url, heading } }, n) => ({
      n: n + 1,
      documentId,
      place,
      title,
      url,
      heading,
    })),
  };
}

/** Another chunk helps when it speaks of something that was asked and that the first leaves out. */
function addsTo(first: string, second: string, asked: readonly Asked[]): boolean {
  const [before, after] = [tokensOf(toPlainText(first)), tokensOf(toPlainText(second))];
  return asked.some((token) => isIn(token, after) && !isIn(token, before));
}

/** The unbroken run of sentences and blocks that says most of what was asked, in the order in which it stands there. */
function excerpt(chunk: Found, asked: readonly Asked[], language: string): string {
  const units = unitsOf(linksFrom(chunk), language);
  const total = units.reduce((sum, { tokens }) => sum + tokens, 0);
  const chosen = total <= maxWords ? units : bestRun(units, asked);
  return chosen
    .map(({ markdown, block }, n) =>
      n === 0 ? markdown : `${chosen[n - 1]?.block === block ? ' ' : '\n\n'}${markdown}`,
    )
    .join('');
}

function bestRun(units: readonly Unit[], asked: readonly Asked[]): Unit[] {
  const answers = units.map(({ markdown }) => {
    const tokens = tokensOf(toPlainText(markdown));
    return asked.map((token) => isIn(token, tokens));
  });
  let best: { run: Unit[]; worth: number } = { run: [], worth: -1 };
  for (let start = 0; start < units.length; start++) {
    const covered = new Set<number>();
    let [tokens, telling, isLedTo] = [0, 0, true];
    for (let end = start; end < Math.min(units.length, start + maxWords); end++) {
      const unit = units[end];
      if (!unit) break;
      tokens += unit.tokens;
      // A list or table stays whole, however long, with no more than the line that leads to it.
      if (tokens > maxWords && end > start && !(unit.kind === 'block' && isLedTo)) break;
      isLedTo &&= unit.isLead;
      const answered = answers[end] ?? [];
      answered.forEach((isAnswered, n) => void (isAnswered && covered.add(n)));
      telling += answered.includes(true) ? 1 : 0;
      if (unit.isLead) continue;
      const worth = 2 * covered.size + 0.7 * telling - 0.01 * tokens - (isCutOff(units, start) ? 0.6 : 0);
      if (worth > best.worth) best = { run: units.slice(start, end + 1), worth };
    }
  }
  return best.run.length > 0 ? best.run : units.slice(0, 1);
}

/** It begins with what another sentence leads to, or in the middle of a paragraph. */
const isCutOff = (units: readonly Unit[], start: number): boolean =>
  start > 0 && (units[start - 1]?.isLead === true || units[start - 1]?.block === units[start]?.block);

/** A token that was asked, with what else it may be called. */
interface Asked {
  tokens: string[];
}

function askedTokens(question: string, language: string): Asked[] {
  const config = configOf(language);
  const tokens = [...new Set(tokensOf(question))].filter((token) => token.length >= 4 || /\p{N}/u.test(token));
  const telling = tokens.filter((token) => !isChatter(config, token));
  const meanings = synonyms.get(config) ?? [];
  return (telling.length > 0 ? telling : tokens).slice(0, 30).map((token) => {
    const same = meanings.filter((terms) => terms.some((term) => isAlike(term, token)));
    return { tokens: [token, ...same.flat().filter((term) => !term.includes(' '))] };
  });
}

const isIn = (asked: Asked, tokens: readonly string[]): boolean =>
  asked.tokens.some((token) => tokens.some((other) => isAlike(token, other)));

/** The same token in another form, as far as its beginning tells. */
function isAlike(a: string, b: string): boolean {
  if (a === b) return true;
  const shorter = Math.min(a.length, b.length);
  if (shorter < 4) return false;
  const needed = Math.max(4, Math.ceil(Math.max(a.length, b.length) * 0.65));
  return shorter >= needed && a.slice(0, needed) === b.slice(0, needed);
}
