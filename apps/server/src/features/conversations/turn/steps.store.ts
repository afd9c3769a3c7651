import type { Tx } from '../../../platform/db.ts';
import type { ToolCall } from '../../../platform/model-types.ts';
import type { Answer } from '../../answers/index.ts';
import type { Requested } from './action-calls.ts';
import type { Message } from '../conversations.contract.ts';

/** What asking one model has brought. */
export type Asked =
  | (Answer & { outcome: 'answered'; finish: NonNullable<Message['finish']>; cost: Cost })
  | { outcome: 'failed'; reason: string }
  /** It wants something done first. */
  | {
      outcome: 'calls';
      /** Which of the bot's models it was. */
      model: number;
      text: string;
      toolCalls: ToolCall[];
      requested: Requested[];
      /** The visitor is asked, and the turn ends with that. */
      isAsked: boolean;
      cost: Cost;
    };
export interface Cost {
  tokensIn: number;
  tokensOut: number;
  spendMicros: number;
}

// What a step of a turn has brought, by its name. Kept before the engine hears that the step is over, so that a step which
// ran to its end is not run again, also when the engine did not hear of it.

export async function findStep<T>(
  tx: Tx,
  conversationId: string,
  turnId: string,
  name: string,
): Promise<T | undefined> {
  const row = await tx
    .selectFrom('turnSteps')
    .select('result')
    .where('conversationId', '=', conversationId)
    .where('turnId', '=', turnId)
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.result as T | undefined;
}

/** What models have brought in this turn so far, in order. */
export async function askedSoFar(tx: Tx, conversationId: string, turnId: string): Promise<Asked[]> {
  const rows = await tx
    .selectFrom('turnSteps')
    .select(['name', 'result'])
    .where('conversationId', '=', conversationId)
    .where('turnId', '=', turnId)
    .where('name', 'like', 'model %')
    .execute();
  const place = (name: string) => Number(name.slice('model '.length));
  return rows.toSorted((a, b) => place(a.name) - place(b.name)).map(({ result }) => result as unknown as Asked);
}

export const saveStep = (tx: Tx, conversationId: string, turnId: string, name: string, result: object) =>
  tx
    .insertInto('turnSteps')
    .values({ conversationId, turnId, name, result: JSON.stringify(result) })
    .onConflict((same) => same.columns(['tenantId', 'conversationId', 'turnId', 'name']).doNothing())
    .execute();
