import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { isTenantActive } from '../../tenants/index.ts';
import type { AssignmentSettings } from './assignment.contract.ts';

// No `where tenantId` below: row-level security adds it, which a test verifies.

const columns = ['mode', 'maxOpen', 'teamId', 'escalation'] as const;

export const findSettings = (tx: Tx, workspaceId: string): Promise<AssignmentSettings | undefined> =>
  tx
    .selectFrom('assignmentSettings')
    .select(columns)
    .where('workspaceId', '=', workspaceId)
    .$narrowType<AssignmentSettings>()
    .executeTakeFirst();

/** Of the workspace that the bot belongs to. */
export const findSettingsOfBot = (tx: Tx, botId: string): Promise<AssignmentSettings | undefined> =>
  tx
    .selectFrom('assignmentSettings')
    .select(columns)
    .where('workspaceId', '=', (eb) => eb.selectFrom('bots').select('workspaceId').where('id', '=', botId))
    .$narrowType<AssignmentSettings>()
    .executeTakeFirst();

export async function saveSettings(
  tx: Tx,
  workspaceId: string,
  { escalation, ...settings }: AssignmentSettings,
): Promise<void> {
  const row = { ...settings, escalation: escalation && sql<string>`${JSON.stringify(escalation)}::jsonb` };
  await tx
    .insertInto('assignmentSettings')
    .values({ workspaceId, ...row })
    .onConflict((conflict) => conflict.columns(['tenantId', 'workspaceId']).doUpdateSet(row))
    .execute();
}

export const hasWorkspace = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.selectFrom('workspaces').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;

/** What was already done about a waiting conversation, and whether its tenant is active. The caller has locked it. */
export const findProgress = (tx: Tx, id: string) =>
  tx
    .selectFrom('conversations')
    .select(['waitingCheckedAt', 'escalatedAt', isTenantActive.as('isTenantActive')])
    .where('id', '=', id)
    .$narrowType<{ isTenantActive: boolean }>()
    .executeTakeFirst();

export const saveProgress = (tx: Tx, id: string, change: { waitingCheckedAt: Date; escalatedAt?: Date }) =>
  tx.updateTable('conversations').set(change).where('id', '=', id).execute();
