import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import { configOf, languages } from './chunks-words.ts';

// Under row-level security PostgreSQL uses an index only with operators that it trusts to leak nothing: `=` and `<` of
// text are, `%` and `@@` are not. So words that are alike are looked for in a range of the alphabet.

/** What a word is found by in one language; nothing when it is one of that language's stop words. */
export interface Form {
  word: string;
  config: string;
  lexeme: string | null;
  /** How many chunks are found by it. */
  chunks: number;
}

/** Each word in every language that the sources have, and how many chunks there are. */
export async function readForms(tx: Tx, sourceIds: readonly string[], words: readonly string[]) {
  const { rows } = await sql<Form & { total: number }>`
    with spoken (language, config) as (
      select * from unnest(${languages}::text[], ${languages.map(configOf)}::regconfig[])),
    used as (
      select distinct coalesce(config, 'simple') as config from (
        select distinct lower(substring(language from '^[^-_]+')) as language from knowledge_documents
        where source_id = any (${sourceIds})) as document left join spoken using (language)),
    total as (select coalesce(sum(chunks), 0)::int as total from knowledge_words
      where source_id = any (${sourceIds}) and word = '')
    select word, config::text, lexeme, coalesce(chunks, 0)::int as chunks, total
    from total, used cross join unnest(${words}::text[]) as word
    left join lateral unnest(tsvector_to_array(to_tsvector(config, word))) as lexeme on true
    left join lateral (
      select sum(most) as chunks from (
        select max(known.chunks) as most from knowledge_words known
        where source_id = any (${sourceIds}) and known.lexeme = lexeme.lexeme group by source_id) as by_source
    ) as counted on true`.execute(tx);
  return { forms: rows, total: rows[0]?.total ?? 0 };
}

/** What stands for each of these terms; a term of two words has two. Depends on nothing but the language. */
export async function readLexemes(tx: Tx, config: string, terms: readonly string[]): Promise<string[][]> {
  const { rows } = await sql<{ lexemes: string[] }>`
    select array(select lexeme from unnest(to_tsvector(${config}::regconfig, term)) order by positions[1]) as lexemes
    from unnest(${terms}::text[]) with ordinality as asked (term, place) order by place`.execute(tx);
  return rows.map(({ lexemes }) => lexemes);
}

export interface Known {
  word: string;
  lexeme: string;
  chunks: number;
  /** The asked word that it is like; null when it was named itself. */
  like: string | null;
}

/** Words of the sources: those that are found by these lexemes or are written like this, and those that are like others. */
export async function readKnown(
  tx: Tx,
  sourceIds: readonly string[],
  { lexemes, words, ranges }: { lexemes: string[]; words: string[]; ranges: Range[] },
): Promise<Known[]> {
  const { rows } = await sql<Known>`
    select word, lexeme, max(chunks) as chunks, null as like from knowledge_words
      where source_id = any (${sourceIds}) and word <> '' and lexeme = any (${lexemes}) group by word, lexeme
    union all
    select word, lexeme, max(chunks), null from knowledge_words
      where source_id = any (${sourceIds}) and word <> '' and word = any (${words}) group by word, lexeme
    union all
    select alike.word, alike.lexeme, alike.chunks, asked.word
    from unnest(${ranges.map(({ word }) => word)}::text[], ${ranges.map(({ from }) => from)}::text[],
      ${ranges.map(({ to }) => to)}::text[]) as asked (word, first, last)
    cross join lateral (
      select known.word, known.lexeme, max(known.chunks) as chunks from knowledge_words known
      where source_id = any (${sourceIds}) and known.word >= asked.first and known.word < asked.last
        and similarity(known.word, asked.word) > case when length(asked.word) < 7 then 0.1 else 0.22 end
        and abs(length(known.word) - length(asked.word)) <= case when length(asked.word) < 7 then 2 else 9 end
      group by known.word, known.lexeme order by similarity(known.word, asked.word) desc, known.word limit 25) as alike`.execute(
    tx,
  );
  return rows;
}

/** Words from `from` up to, not with, `to` that are like `word`. */
export interface Range {
  word: string;
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
  /** How many different words it has, and how many of them in its own heading. */
  length: number;
  headingLength: number;
  /** Where the asked lexemes stand, and with what weight each time. */
  marks: Record<string, [positions: number[], weights: string[]]>;
}

/** The chunks that have most of these, by what each is worth. */
export async function readCandidates(
  tx: Tx,
  sourceIds: readonly string[],
  { terms, marked, most }: { terms: { lexeme: string; worth: number }[]; marked: string[]; most: number },
): Promise<Candidate[]> {
  const worths = terms.map(
    ({ lexeme, worth }) => sql`case when bare @@ ${quoted(lexeme)}::tsquery then ${worth}::float4 else 0 end`,
  );
  const { rows } = await sql<Omit<Candidate, 'headingLength' | 'marks'> & { words: string }>`
    select best.document_id, best.place, best.source_id, best.heading, best.body, best.config::text, best.words::text,
      document.title, document.location, length(best.words) as length
    from (
      select *, ${sql.join(worths, sql` + `)} as rank
      from (
        select document_id, place, source_id, heading, body, config, words, strip(words) as bare
        from knowledge_chunks where source_id = any (${sourceIds})
          and words @@ ${terms.map(({ lexeme }) => quoted(lexeme)).join(' | ')}::tsquery offset 0) as matching
      order by rank desc, document_id, place limit ${most}) as best
    join knowledge_documents document on document.id = best.document_id`.execute(tx);
  const wanted = new Set(marked);
  return rows.map((row) => withMarks(row, wanted));
}

export const withMarks = (
  { words, ...row }: Omit<Candidate, 'headingLength' | 'marks'> & { words: string },
  wanted: ReadonlySet<string>,
): Candidate => ({ ...row, ...marksIn(words, wanted) });

/** Reads PostgreSQL's way of writing it, 'refund':3A,17 'day':5, which costs it a tenth of what JSON would. */
function marksIn(words: string, wanted: ReadonlySet<string>): Pick<Candidate, 'marks' | 'headingLength'> {
  const marks: Candidate['marks'] = {};
  let headingLength = 0;
  for (const [, lexeme = '', places = ''] of words.matchAll(/'([^']+)':(\S+)/g)) {
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
