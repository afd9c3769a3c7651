import type { Tx } from '../../../platform/db.ts';
import type { ToolCall } from '../../../platform/model-types.ts';
import { prepared } from '../../../platform/prepared.ts';
import type { Cost, ModelAnswer } from '../../answers/index.ts';
import type { ProposedCall } from './action-calls.ts';

/** Result of one model call. */
export type ModelStepResult =
  | ModelAnswer
  /** The model requests tool calls first. */
  | {
      outcome: 'calls';
      /** Position in the bot's models. */
      model: number;
      text: string;
      toolCalls: ToolCall[];
      requested: ProposedCall[];
      /** The visitor must confirm, and the turn ends with that. */
      isAsked: boolean;
      cost: Cost;
    };

// Results of a turn's steps, by name. Saved before the step returns to Restate, so a completed step is not run again even
// if Restate never received its result.

export async function findStep<T>(
  tx: Tx,
  conversationId: string,
  turnId: string,
  name: string,
): Promise<T | undefined> {
  const row = await prepared(tx)
    .selectFrom('turnSteps')
    .select('result')
    .where('conversationId', '=', conversationId)
    .where('turnId', '=', turnId)
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.result as T | undefined;
}

/** Results of the turn's model calls so far, in order. */
export async function listModelSteps(tx: Tx, conversationId: string, turnId: string): Promise<ModelStepResult[]> {
  const rows = await prepared(tx)
    .selectFrom('turnSteps')
    .select(['name', 'result'])
    .where('conversationId', '=', conversationId)
    .where('turnId', '=', turnId)
    .where('name', 'like', 'model %')
    .execute();
  const numberOf = (name: string) => Number(name.slice('model '.length));
  return rows
    .toSorted((a, b) => numberOf(a.name) - numberOf(b.name))
    .map(({ result }) => result as unknown as ModelStepResult);
}

export const saveStep = (tx: Tx, conversationId: string, turnId: string, name: string, result: object) =>
  prepared(tx)
    .insertInto('turnSteps')
    .values({ conversationId, turnId, name, result: JSON.stringify(result) })
    .onConflict((conflict) => conflict.columns(['tenantId', 'conversationId', 'turnId', 'name']).doNothing())
    .execute();
