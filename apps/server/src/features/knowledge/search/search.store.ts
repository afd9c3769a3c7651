import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { prepared } from '../../../platform/prepared.ts';
import { configOf, languages } from '../chunk/tokens.ts';

// Under row-level security PostgreSQL uses an index only with leakproof operators: `=` and `<` on text are leakproof,
// `%` and `@@` are not. So similar tokens are searched in a range of the index, and chunks by a function (ADR 45).

/** The lexeme of a token in one language; null if it is a stop word. */
export interface Form {
  token: string;
  config: string;
  lexeme: string | null;
  /** The number of chunks with this lexeme. */
  chunks: number;
}

export interface FormsRead {
  /** In the order of the tokens. */
  forms: Form[];
  /** The number of chunks of the sources. */
  total: number;
}

/** The forms of each token in every language of the sources. */
export async function readForms(tx: Tx, sourceIds: readonly string[], tokens: readonly string[]): Promise<FormsRead> {
  const { rows } = await sql<Form & { total: number }>`
    with recursive spoken (language, config) as (
      select * from unnest(${languages}::text[], ${languages.map(configOf)}::regconfig[])),
    -- Each language of a source is one index lookup, however many documents have it.
    written (source_id, language) as (
      select source_id, (
        select coalesce(document.language, '') from knowledge_documents document where document.source_id = sources.source_id
        order by coalesce(document.language, '') limit 1)
      from unnest(${sourceIds}::text[]) as sources (source_id)
      union all
      select written.source_id, (
        select coalesce(document.language, '') from knowledge_documents document
        where document.source_id = written.source_id and coalesce(document.language, '') > written.language
        order by coalesce(document.language, '') limit 1)
      from written where written.language is not null),
    used as (
      select distinct coalesce(config, 'simple') as config from (
        select distinct lower(substring(language from '^[^-_]+')) as language from written
        where language is not null) as document left join spoken using (language)),
    total as (select coalesce(sum(chunks), 0)::int as total from knowledge_tokens
      where source_id = any (${sourceIds}) and token = '')
    select token, config::text, lexeme, coalesce(chunks, 0)::int as chunks, total
    from total, used cross join unnest(${tokens}::text[]) as token
    left join lateral unnest(tsvector_to_array(to_tsvector(config, token))) as lexeme on true
    left join lateral (
      select sum(max_chunks) as chunks from (
        select max(known.chunks) as max_chunks from knowledge_tokens known
        where source_id = any (${sourceIds}) and known.lexeme = lexeme.lexeme group by source_id) as by_source
    ) as counted on true`.execute(prepared(tx));
  const byToken = Map.groupBy(rows, ({ token }) => token);
  const forms = tokens.flatMap((token) => byToken.get(token) ?? []).map(({ total: _total, ...form }) => form);
  return { forms, total: rows[0]?.total ?? 0 };
}

/** The lexemes of each term; a term can have several. Depends only on the language. */
export async function readLexemes(tx: Tx, config: string, terms: readonly string[]): Promise<string[][]> {
  const { rows } = await sql<{ lexemes: string[] }>`
    select array(select lexeme from unnest(to_tsvector(${config}::regconfig, term)) order by positions[1]) as lexemes
    from unnest(${terms}::text[]) with ordinality as query (term, ordinal) order by ordinal`.execute(tx);
  return rows.map(({ lexemes }) => lexemes);
}

export interface TokenRow {
  token: string;
  lexeme: string;
  chunks: number;
  /** The query token that it resembles; null if it was requested directly. */
  like: string | null;
}

/** Tokens of the sources that have one of these lexemes, equal one of these tokens, or resemble one within a range. */
export async function readTokens(
  tx: Tx,
  sourceIds: readonly string[],
  { lexemes, tokens, ranges }: TokensToRead,
): Promise<TokenRow[]> {
  const { rows } = await sql<TokenRow>`
    select token, lexeme, max(chunks) as chunks, null as like from knowledge_tokens
      where source_id = any (${sourceIds}) and token <> '' and lexeme = any (${lexemes}) group by token, lexeme
    union all
    select token, lexeme, max(chunks), null from knowledge_tokens
      where source_id = any (${sourceIds}) and token <> '' and token = any (${tokens}) group by token, lexeme
    union all
    select alike.token, alike.lexeme, alike.chunks, query.token
    from unnest(${ranges.map(({ token }) => token)}::text[], ${ranges.map(({ from }) => from)}::text[],
      ${ranges.map(({ to }) => to)}::text[]) as query (token, first, last)
    cross join lateral (
      select known.token, known.lexeme, known.chunks from (
        -- Comparing costs more than reading, so each token is compared once, however many sources have it.
        select token, lexeme, max(chunks) as chunks, similarity(token, query.token) as likeness from knowledge_tokens
        where source_id = any (${sourceIds}) and token >= query.first and token < query.last
          and abs(length(token) - length(query.token)) <= case when length(query.token) < 7 then 2 else 9 end
        group by token, lexeme offset 0) as known
      where likeness > case when length(query.token) < 7 then 0.1 else 0.22 end
      order by likeness desc, known.token limit 25) as alike`.execute(prepared(tx));
  return inOrder(rows);
}

/** Those that were requested directly first, each once. */
export function inOrder(rows: readonly TokenRow[]): TokenRow[] {
  const nameOf = ({ token, lexeme }: TokenRow) => `${token} ${lexeme}`;
  const direct = new Map(rows.flatMap((row) => (row.like === null ? [[nameOf(row), row]] : [])));
  const sorted = [...direct].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  return [...sorted, ...rows.filter(({ like }) => like !== null)];
}

export interface TokensToRead {
  lexemes: string[];
  tokens: string[];
  ranges: Range[];
}

/** Tokens from `from` (inclusive) to `to` (exclusive) that resemble `token`. */
export interface Range {
  token: string;
  from: string;
  to: string;
}

export interface Candidate {
  documentId: string;
  place: number;
  sourceId: string;
  title: string;
  location: string;
  heading: string;
  body: string;
  config: string;
  /** The number of distinct lexemes, and of those in its own heading. */
  length: number;
  headingLength: number;
  /** The positions of the query lexemes and their weights. */
  marks: Record<string, [positions: number[], weights: string[]]>;
}

/**
 * The chunks with the highest total worth of matching terms. `match_chunks` finds their places by the token index, which
 * row-level security would not use; the chunks themselves are read under row-level security (ADR 45).
 */
export async function readCandidates(
  tx: Tx,
  sourceIds: readonly string[],
  { terms, marked, max }: { terms: Term[]; marked: string[]; max: number },
): Promise<Candidate[]> {
  const { queries, areOrdered } = queriesFor(terms);
  const { rows } = await sql<Omit<Candidate, 'headingLength' | 'marks'> & { tokens: string }>`
    select chunk.document_id, chunk.place, chunk.source_id, chunk.heading, chunk.body, chunk.config::text,
      chunk.tokens::text, document.title, document.location, length(chunk.tokens) as length
    from (
      select document_id, place, sum(worth order by query) as rank
      from directory.match_chunks(array(select distinct bot_id from knowledge_sources where id = any (${sourceIds})),
        ${sourceIds}::text[], ${queries.map(({ query }) => query)}::tsquery[], ${areOrdered ? max : allMatches}) as match
      join unnest(${queries.map(({ worth }) => worth)}::float4[]) with ordinality as known (worth, query) using (query)
      group by document_id, place order by rank desc, document_id, place limit ${max}) as best
    join knowledge_chunks chunk using (document_id, place)
    join knowledge_documents document on document.id = chunk.document_id
    order by best.rank desc, document_id, place`.execute(prepared(tx));
  const queryLexemes = new Set(marked);
  return rows.map((row) => withMarks(row, queryLexemes));
}

export const withMarks = (
  { tokens, ...row }: Omit<Candidate, 'headingLength' | 'marks'> & { tokens: string },
  queryLexemes: ReadonlySet<string>,
): Candidate => ({ ...row, ...marksIn(tokens, queryLexemes) });

/** Parses PostgreSQL's text format ('refund':3A,17 'day':5), which costs it a tenth of what JSON would. */
function marksIn(tokens: string, queryLexemes: ReadonlySet<string>): Pick<Candidate, 'marks' | 'headingLength'> {
  const marks: Candidate['marks'] = {};
  let headingLength = 0;
  for (const [, lexeme = '', occurrences = ''] of tokens.matchAll(/'([^']+)':(\S+)/g)) {
    if (occurrences.includes('A')) headingLength++;
    if (!queryLexemes.has(lexeme)) continue;
    const each = occurrences.split(',');
    marks[lexeme] = [
      each.map((occurrence) => Number.parseInt(occurrence, 10)),
      each.map((occurrence) => /[ABC]$/.exec(occurrence)?.[0] ?? 'D'),
    ];
  }
  return { marks, headingLength };
}

export interface Term {
  lexeme: string;
  worth: number;
}
/** With more terms, there would be too many combinations. */
const maxCombined = 4;
const allMatches = 1_000_000;

/**
 * A few terms may each match many chunks, so their combinations are queried, the most valuable first, until there are
 * enough: no chunk matches two of these queries. More terms are usually rare ones, and each is queried.
 */
export function queriesFor(terms: readonly Term[]): {
  queries: { query: string; worth: number }[];
  areOrdered: boolean;
} {
  const all = terms.map(({ lexeme, worth }) => ({ query: quoted(lexeme), worth: Math.fround(worth) }));
  if (all.length > maxCombined) return { queries: all, areOrdered: false };
  const byWorth = new Map<number, string[]>();
  for (let combination = 1; combination < 2 ** all.length; combination++) {
    const isIn = (n: number) => ((combination >> n) & 1) === 1;
    const query = all.map((term, n) => (isIn(n) ? term.query : `!${term.query}`)).join(' & ');
    // As PostgreSQL adds them, so that equal sums stay equal.
    const worth = all.reduce((sum, term, n) => Math.fround(sum + (isIn(n) ? term.worth : 0)), 0);
    byWorth.set(worth, [...(byWorth.get(worth) ?? []), `(${query})`]);
  }
  const queries = [...byWorth].map(([worth, same]) => ({ worth, query: same.join(' | ') }));
  return { queries: queries.toSorted((a, b) => b.worth - a.worth), areOrdered: true };
}

const quoted = (lexeme: string) => `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
