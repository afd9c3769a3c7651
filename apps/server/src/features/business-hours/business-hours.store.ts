import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import { prepared } from '../../platform/prepared.ts';
import type { BusinessHours } from './business-hours.contract.ts';

// No `where tenantId` below: row-level security adds it, which a test verifies.

const columns = ['timeZone', 'weekly', 'holidays', 'awayMessage', 'replyMinutes'] as const;

export const find = (tx: Tx, workspaceId: string): Promise<BusinessHours | undefined> =>
  prepared(tx)
    .selectFrom('businessHours')
    .select(columns)
    .where('workspaceId', '=', workspaceId)
    .$narrowType<BusinessHours>()
    .executeTakeFirst();

/** Of the workspace that the bot belongs to. */
export const findOfBot = (tx: Tx, botId: string): Promise<BusinessHours | undefined> =>
  prepared(tx)
    .selectFrom('businessHours')
    .select(columns)
    .where('workspaceId', '=', (eb) => eb.selectFrom('bots').select('workspaceId').where('id', '=', botId))
    .$narrowType<BusinessHours>()
    .executeTakeFirst();

export async function save(tx: Tx, workspaceId: string, { weekly, holidays, ...hours }: BusinessHours): Promise<void> {
  const row = {
    ...hours,
    weekly: weekly && sql<string>`${JSON.stringify(weekly)}::jsonb`,
    holidays: sql<string>`${JSON.stringify(holidays)}::jsonb`,
  };
  await tx
    .insertInto('businessHours')
    .values({ workspaceId, ...row })
    .onConflict((conflict) => conflict.columns(['tenantId', 'workspaceId']).doUpdateSet(row))
    .execute();
}

export const hasWorkspace = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.selectFrom('workspaces').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
