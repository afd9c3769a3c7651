import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { prepared } from '../../../platform/prepared.ts';
import { configOf, languages } from '../chunk/tokens.ts';

// Under row-level security PostgreSQL uses an index only with leakproof operators: `=` and `<` on text are leakproof,
// `%` and `@@` are not. So similar tokens are searched in a range of the index.

/** The lexeme of a token in one language; null if it is a stop word. */
export interface Form {
  token: string;
  config: string;
  lexeme: string | null;
  /** The number of chunks with this lexeme. */
  chunks: number;
}

/** The forms of each token in every language of the sources, and the total number of chunks. */
export async function readForms(tx: Tx, sourceIds: readonly string[], tokens: readonly string[]) {
  const { rows } = await sql<Form & { total: number }>`
    with spoken (language, config) as (
      select * from unnest(${languages}::text[], ${languages.map(configOf)}::regconfig[])),
    used as (
      select distinct coalesce(config, 'simple') as config from (
        select distinct lower(substring(language from '^[^-_]+')) as language from knowledge_documents
        where source_id = any (${sourceIds})) as document left join spoken using (language)),
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
  return { forms: rows, total: rows[0]?.total ?? 0 };
}

/** The lexemes of each term; a term of two words has two. Depends only on the language. */
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
  { lexemes, tokens, ranges }: { lexemes: string[]; tokens: string[]; ranges: Range[] },
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
      select known.token, known.lexeme, max(known.chunks) as chunks from knowledge_tokens known
      where source_id = any (${sourceIds}) and known.token >= query.first and known.token < query.last
        and similarity(known.token, query.token) > case when length(query.token) < 7 then 0.1 else 0.22 end
        and abs(length(known.token) - length(query.token)) <= case when length(query.token) < 7 then 2 else 9 end
      group by known.token, known.lexeme order by similarity(known.token, query.token) desc, known.token limit 25) as alike`.execute(
    prepared(tx),
  );
  return rows;
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

/** The chunks with the highest total worth of matching terms. */
export async function readCandidates(
  tx: Tx,
  sourceIds: readonly string[],
  { terms, marked, max }: { terms: { lexeme: string; worth: number }[]; marked: string[]; max: number },
): Promise<Candidate[]> {
  const worths = terms.map(
    ({ lexeme, worth }) => sql`case when bare @@ ${quoted(lexeme)}::tsquery then ${worth}::float4 else 0 end`,
  );
  const { rows } = await sql<Omit<Candidate, 'headingLength' | 'marks'> & { tokens: string }>`
    select best.document_id, best.place, best.source_id, best.heading, best.body, best.config::text, best.tokens::text,
      document.title, document.location, length(best.tokens) as length
    from (
      select *, ${sql.join(worths, sql` + `)} as rank
      from (
        select document_id, place, source_id, heading, body, config, tokens, strip(tokens) as bare
        from knowledge_chunks where source_id = any (${sourceIds})
          and tokens @@ ${terms.map(({ lexeme }) => quoted(lexeme)).join(' | ')}::tsquery offset 0) as matching
      order by rank desc, document_id, place limit ${max}) as best
    join knowledge_documents document on document.id = best.document_id`.execute(prepared(tx));
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

const quoted = (lexeme: string) => `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
