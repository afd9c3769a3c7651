import { configOf, toPlainText, tokensOf } from '../chunk/tokens.ts';
import { unitsOf, type Unit } from './blocks.ts';
import { resolveLinks, displayName } from './links.ts';
import { isChatter } from '../search/chatter.ts';
import { synonyms } from '../search/synonyms.ts';
import type { SearchResult } from '../search/search.ts';

/** The source of a quote. */
export interface Citation {
  n: number;
  documentId: string;
  place: number;
  title: string;
  url: string | null;
  heading: string;
}

export interface Quote {
  /** Markdown: the name of the source, with [1] for the first citation, then the quoted text. */
  text: string;
  citations: Citation[];
}

const maxTokens = 90;
/** A second chunk is only quoted if it reaches this share of the best score. */
const minScoreShare = 0.85;

const labels: Record<string, { from: string; also: string }> = {
  en: { from: 'From', also: 'Also from' },
  de: { from: 'Aus', also: 'Auch aus' },
  fr: { from: 'Extrait de', also: 'Aussi dans' },
  es: { from: 'De', also: 'También de' },
  nl: { from: 'Uit', also: 'Ook uit' },
  it: { from: 'Da', also: 'Anche da' },
  pt: { from: 'De', also: 'Também de' },
  pl: { from: 'Źródło:', also: 'Także:' }, // names can't be inflected
  tr: { from: 'Kaynak:', also: 'Ayrıca:' },
};

/** Quotes the parts of the chunks that answer a question, verbatim. */
export function quote(question: string, chunks: readonly SearchResult[], { language }: { language: string }): Quote {
  const [best] = chunks;
  if (!best) return { text: '', citations: [] };
  const queryTokens = queryTokensOf(question, language);
  const first = { chunk: best, ...excerpt(best, queryTokens, language) };
  const second = chunks
    .slice(1)
    .filter(({ score }) => score >= minScoreShare * best.score)
    .filter((chunk) => displayName(chunk) !== displayName(best))
    .map((chunk) => ({ chunk, ...excerpt(chunk, queryTokens, language) }))
    .find(({ text }) => addsTo(first.text, text, queryTokens));
  const parts = second ? [first, second] : [first];
  const { from, also } = labels[language.toLowerCase().split(/[-_]/)[0] ?? ''] ?? { from: 'From', also: 'Also from' };
  return {
    text: parts.map(({ name, text }, n) => `${n === 0 ? from : also} **${name}** [${n + 1}]:\n\n${text}`).join('\n\n'),
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

/** Whether the second quote mentions a token of the question that the first one lacks. */
function addsTo(first: string, second: string, queryTokens: readonly QueryToken[]): boolean {
  const [before, after] = [tokensOf(toPlainText(first)), tokensOf(toPlainText(second))];
  return queryTokens.some((token) => isIn(token, after) && !isIn(token, before));
}

/** The contiguous run of sentences and blocks that matches most of the question, and the name of where it is. */
function excerpt(
  chunk: SearchResult,
  queryTokens: readonly QueryToken[],
  language: string,
): { text: string; name: string } {
  const sections = sectionsOf(unitsOf(resolveLinks(chunk), language));
  const best = sections.length > 1 ? bestSections(sections, queryTokens) : sections;
  const [only] = best;
  const isSingle = only?.heading !== undefined && best.length === 1;
  const units = isSingle ? only.units : best.flatMap(({ headingUnit, units: own }) => [...headingUnit, ...own]);
  const total = units.reduce((sum, { tokens }) => sum + tokens, 0);
  const chosen = total <= maxTokens ? units : bestRun(units, queryTokens);
  return {
    text: chosen
      .map(({ markdown, block }, n) =>
        n === 0 ? markdown : `${chosen[n - 1]?.block === block ? ' ' : '\n\n'}${markdown}`,
      )
      .join(''),
    name: displayName(isSingle ? { ...chunk, heading: only.heading ?? '' } : chunk),
  };
}

/** A chunk of tiny sections has their headings as bold lines. */
interface ShortSection {
  heading: string | undefined;
  headingUnit: Unit[];
  units: Unit[];
}
function sectionsOf(units: readonly Unit[]): ShortSection[] {
  const sections: ShortSection[] = [];
  for (const unit of units) {
    const [, heading] = (unit.kind === 'sentence' && /^\*\*([^*\n]{1,200})\*\*$/.exec(unit.markdown)) || [];
    const last = sections.at(-1);
    if (heading !== undefined) sections.push({ heading, headingUnit: [unit], units: [] });
    else if (last) last.units.push(unit);
    else sections.push({ heading: undefined, headingUnit: [], units: [unit] });
  }
  return sections.filter((section) => section.units.length > 0);
}

/** The sections that mention most of the question. The visitor's own terms count more than synonyms. */
function bestSections(sections: readonly ShortSection[], queryTokens: readonly QueryToken[]): ShortSection[] {
  const worths = sections.map(({ headingUnit, units }) => {
    const tokens = tokensOf(toPlainText([...headingUnit, ...units].map(({ markdown }) => markdown).join('\n')));
    const worthOf = (token: QueryToken) =>
      isIn({ tokens: token.tokens.slice(0, 1) }, tokens) ? 2 : isIn(token, tokens) ? 1 : 0;
    return queryTokens.reduce((sum, token) => sum + worthOf(token), 0);
  });
  const highest = Math.max(...worths);
  return sections.filter((_, n) => worths[n] === highest);
}

function bestRun(units: readonly Unit[], queryTokens: readonly QueryToken[]): Unit[] {
  const answers = units.map(({ markdown }) => {
    const tokens = tokensOf(toPlainText(markdown));
    return queryTokens.map((token) => isIn(token, tokens));
  });
  let best: { run: Unit[]; worth: number } = { run: [], worth: -1 };
  for (let start = 0; start < units.length; start++) {
    const covered = new Set<number>();
    let [tokens, informative, isLedTo] = [0, 0, true];
    for (let end = start; end < Math.min(units.length, start + maxTokens); end++) {
      const unit = units[end];
      if (!unit) break;
      tokens += unit.tokens;
      // A list or table is never split, however long it is, and may follow only its lead-in.
      if (tokens > maxTokens && end > start && !(unit.kind === 'block' && isLedTo)) break;
      isLedTo &&= unit.isLead;
      const answered = answers[end] ?? [];
      answered.forEach((isAnswered, n) => void (isAnswered && covered.add(n)));
      informative += answered.includes(true) ? 1 : 0;
      if (unit.isLead) continue;
      const worth = 2 * covered.size + 0.7 * informative - 0.01 * tokens - (isCutOff(units, start) ? 0.6 : 0);
      if (worth > best.worth) best = { run: units.slice(start, end + 1), worth };
    }
  }
  return best.run.length > 0 ? best.run : units.slice(0, 1);
}

/** Starts after a lead-in, or in the middle of a paragraph. */
const isCutOff = (units: readonly Unit[], start: number): boolean =>
  start > 0 && (units[start - 1]?.isLead === true || units[start - 1]?.block === units[start]?.block);

/** A token of the question with its synonyms. */
interface QueryToken {
  tokens: string[];
}

function queryTokensOf(question: string, language: string): QueryToken[] {
  const config = configOf(language);
  const tokens = [...new Set(tokensOf(question))].filter((token) => token.length >= 4 || /\p{N}/u.test(token));
  const informative = tokens.filter((token) => !isChatter(config, token));
  const groups = synonyms.get(config) ?? [];
  return (informative.length > 0 ? informative : tokens).slice(0, 30).map((token) => {
    const same = groups.filter((terms) => terms.some((term) => isAlike(term, token)));
    return { tokens: [token, ...same.flat().filter((term) => !term.includes(' '))] };
  });
}

const isIn = (queryToken: QueryToken, tokens: readonly string[]): boolean =>
  queryToken.tokens.some((token) => tokens.some((other) => isAlike(token, other)));

/** Whether two tokens are forms of the same word, judging by their common prefix. */
function isAlike(a: string, b: string): boolean {
  if (a === b) return true;
  const shorter = Math.min(a.length, b.length);
  if (shorter < 4) return false;
  const needed = Math.max(4, Math.ceil(Math.max(a.length, b.length) * 0.65));
  return shorter >= needed && a.slice(0, needed) === b.slice(0, needed);
}
