import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { prepared } from '../../../platform/prepared.ts';

export interface TextAnalysis {
  n: number;
  lexemes: string[];
  tokens: string[];
}

/** Stems each text with the database's dictionaries, as knowledge is indexed. */
export const analyzeTexts = async (tx: Tx, config: string, texts: readonly string[]): Promise<TextAnalysis[]> =>
  (
    await sql<TextAnalysis>`
      select n::int, tsvector_to_array(to_tsvector(${config}::regconfig, text)) as lexemes,
        tsvector_to_array(to_tsvector('simple', text)) as tokens
      from unnest(${texts}::text[]) with ordinality as input (text, n) order by n`.execute(prepared(tx))
  ).rows;
