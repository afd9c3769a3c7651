import type { Tx } from '../../platform/db.ts';
import type { Answer } from '../answers/index.ts';
import type { Message } from './conversations.contract.ts';

/** What asking one model has brought. */
export type Asked =
  | (Answer & { outcome: 'answered'; finish: NonNullable<Message['finish']>; cost: Cost })
  | { outcome: 'failed'; reason: string };
interface Cost {
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

export const saveStep = (tx: Tx, conversationId: string, turnId: string, name: string, result: object) =>
  tx
    .insertInto('turnSteps')
    .values({ conversationId, turnId, name, result: JSON.stringify(result) })
    .onConflict((same) => same.columns(['tenantId', 'conversationId', 'turnId', 'name']).doNothing())
    .execute();
