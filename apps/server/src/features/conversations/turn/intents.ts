import type { Tx } from '../../../platform/db.ts';
import type { ActionSpec } from '../../actions/actions.contract.ts';
import { configOf } from '../../knowledge/index.ts';
import { analyzeTexts } from './intents.store.ts';

/** Dice coefficient of two token sets, from 0 to 1. */
function overlap(a: readonly string[], b: readonly string[]): number {
  const [one, other] = [new Set(a), new Set(b)];
  const shared = [...one].filter((word) => other.has(word)).length;
  return one.size + other.size === 0 ? 0 : (2 * shared) / (one.size + other.size);
}

const minScore = 0.6;
/** Numbers and codes are arguments, not intent. */
const isWord = (lexeme: string) => !/\d/.test(lexeme);

/**
 * Finds the action whose trigger phrases match the question best. Compares stemmed lexemes without stop words, and with
 * less weight all tokens.
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
  const configs = [...new Set(languages.map(configOf))];
  for (const rows of await Promise.all(configs.map((config) => analyzeTexts(tx, config, texts)))) {
    const [query, ...examples] = rows;
    if (!query) continue;
    for (const [index, { lexemes, tokens }] of examples.entries()) {
      const content = overlap(query.lexemes.filter(isWord), lexemes.filter(isWord));
      const score = 0.7 * content + 0.3 * overlap(query.tokens.filter(isWord), tokens.filter(isWord));
      const action = phrases[index]?.action;
      if (action && score >= minScore && score > (best?.score ?? 0)) best = { action, score };
    }
  }
  return best;
}
