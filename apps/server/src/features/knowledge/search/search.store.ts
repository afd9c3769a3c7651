import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { configOf, languages } from '../chunk/tokens.ts';

// Under row-level security PostgreSQL uses an index only with operators that it trusts to leak nothing: `=` and `<` of
// text are, `%` and `@@` are not. So tokens that are alike are looked for in a range of the alphabet.

/** What a token is found by in one language; nothing when it is one of that language's stop tokens. */
export interface Form {
  token: string;
  config: string;
  lexeme: string | null;
  /** How many chunks are found by it. */
  chunks: number;
}

/** Each token in every language that the sources have, and how many chunks there are. */
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
      select sum(most) as chunks from (
        select max(known.chunks) as most from knowledge_tokens known
        where source_id = any (${sourceIds}) and known.lexeme = lexeme.lexeme group by source_id) as by_source
    ) as counted on true`.execute(tx);
  return { forms: rows, total: rows[0]?.total ?? 0 };
}

/** What stands for each of these terms; a term of two tokens has two. Depends on nothing but the language. */
export async function readLexemes(tx: Tx, config: string, terms: readonly string[]): Promise<string[][]> {
  const { rows } = await sql<{ lexemes: string[] }>`
    select array(select lexeme from unnest(to_tsvector(${config}::regconfig, term)) order by positions[1]) as lexemes
    from unnest(${terms}::text[]) with ordinality as asked (term, place) order by place`.execute(tx);
  return rows.map(({ lexemes }) => lexemes);
}

export interface Known {
  token: string;
  lexeme: string;
  chunks: number;
  /** The asked token that it is like; null when it was named itself. */
  like: string | null;
}

/** Words of the sources: those that are found by these lexemes or are written like this, and those that are like others. */
export async function readKnown(
  tx: Tx,
  sourceIds: readonly string[],
  { lexemes, tokens, ranges }: { lexemes: string[]; tokens: string[]; ranges: Range[] },
): Promise<Known[]> {
  const { rows } = await sql<Known>`
    select token, lexeme, max(chunks) as chunks, null as like from knowledge_tokens
      where source_id = any (${sourceIds}) and token <> '' and lexeme = any (${lexemes}) group by token, lexeme
    union all
    select token, lexeme, max(chunks), null from knowledge_tokens
      where source_id = any (${sourceIds}) and token <> '' and token = any (${tokens}) group by token, lexeme
    union all
    select alike.token, alike.lexeme, alike.chunks, asked.token
    from unnest(${ranges.map(({ token }) => token)}::text[], ${ranges.map(({ from }) => from)}::text[],
      ${ranges.map(({ to }) => to)}::text[]) as asked (token, first, last)
    cross join lateral (
      select known.token, known.lexeme, max(known.chunks) as chunks from knowledge_tokens known
      where source_id = any (${sourceIds}) and known.token >= asked.first and known.token < asked.last
        and similarity(known.token, asked.token) > case when length(asked.token) < 7 then 0.1 else 0.22 end
        and abs(length(known.token) - length(asked.token)) <= case when length(asked.token) < 7 then 2 else 9 end
      group by known.token, known.lexeme order by similarity(known.token, asked.token) desc, known.token limit 25) as alike`.execute(
    tx,
  );
  return rows;
}

/** Words from `from` up to, not with, `to` that are like `token`. */
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
  /** How many different tokens it has, and how many of them in its own heading. */
  length: number;
  headingLength: number;
  /** Where the asked lexemes stand, and with what weight each time. */
  marks: Record<string, [positions: number[], weights: string[]]>;
}

/** The chunks that have most of these, by what each is worth. */
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
    join knowledge_documents document on document.id = best.document_id`.execute(tx);
  const wanted = new Set(marked);
  return rows.map((row) => withMarks(row, wanted));
}

export const withMarks = (
  { tokens, ...row }: Omit<Candidate, 'headingLength' | 'marks'> & { tokens: string },
  wanted: ReadonlySet<string>,
): Candidate => ({ ...row, ...marksIn(tokens, wanted) });

/** Reads PostgreSQL's way of writing it, 'refund':3A,17 'day':5, which costs it a tenth of what JSON would. */
function marksIn(tokens: string, wanted: ReadonlySet<string>): Pick<Candidate, 'marks' | 'headingLength'> {
  const marks: Candidate['marks'] = {};
  let headingLength = 0;
  for (const [, lexeme = '', places = ''] of tokens.matchAll(/'([^']+)':(\S+)/g)) {
    if (places.includes('A')) headingLength++;
    if (!wanted.has(lexeme)) continue;
    const each = places.split(',');
    marks[lexeme] = [
      each.map((place) => Number.parseInt(place, 10)),
      each.map((place) => /[ABC]$/.exec(place)?.[0] ?? 'D'),
    ];
  }
  return { marks, headingLength };
}

const quoted = (lexeme: string) => `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
