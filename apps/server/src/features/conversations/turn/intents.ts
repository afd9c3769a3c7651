import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import type { ActionSpec } from '../../actions/actions.contract.ts';
import { configOf } from '../../knowledge/index.ts';

interface Analysed {
  n: number;
  lexemes: string[];
  words: string[];
}

/** From 0 to 1: how much two sets of words have in common, seen from both. */
function overlap(a: readonly string[], b: readonly string[]): number {
  const [one, other] = [new Set(a), new Set(b)];
  const shared = [...one].filter((word) => other.has(word)).length;
  return one.size + other.size === 0 ? 0 : (2 * shared) / (one.size + other.size);
}

const enough = 0.6;
/** A number or a code is what it is about, not what is asked for. */
const isWord = (lexeme: string) => !/\d/.test(lexeme);

/**
 * The action that a visitor asks for, by its example phrases: their words as the search for knowledge sees them, without
 * endings and small words, and a little for having the same small words too.
 */
export async function findIntent(
  tx: Tx,
  actions: readonly ActionSpec[],
  question: string,
  languages: readonly string[],
): Promise<{ action: ActionSpec; score: number } | undefined> {
  const phrases = actions.flatMap((action) => action.triggers.map((phrase) => ({ action, phrase })));
  if (phrases.length === 0) return undefined;
  const texts = [question.slice(0, 500), ...phrases.map(({ phrase }) => phrase)];
  let best: { action: ActionSpec; score: number } | undefined;
  for (const config of new Set(languages.map(configOf))) {
    const { rows } = await sql<Analysed>`
      select n::int, tsvector_to_array(to_tsvector(${config}::regconfig, text)) as lexemes,
        tsvector_to_array(to_tsvector('simple', text)) as words
      from unnest(${texts}::text[]) with ordinality as said (text, n) order by n`.execute(tx);
    const [asked, ...known] = rows;
    if (!asked) continue;
    for (const [place, { lexemes, words }] of known.entries()) {
      const content = overlap(asked.lexemes.filter(isWord), lexemes.filter(isWord));
      const score = 0.7 * content + 0.3 * overlap(asked.words.filter(isWord), words.filter(isWord));
      const action = phrases[place]?.action;
      if (action && score >= enough && score > (best?.score ?? 0)) best = { action, score };
    }
  }
  return best;
}
