import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { State } from '../../conversations/conversations.contract.ts';
import type { SuspensionEffects } from './tenants.operator.contract.ts';

// No `where tenantId` anywhere below: row-level security adds it, and a test proves it.

interface Figures {
  members: number;
  bots: number;
  lastActivityAt: Date | null;
}
export async function readFigures(tx: Tx): Promise<Figures> {
  const { rows } = await sql<Figures>`select
    (select count(*)::int from memberships) as members,
    (select count(*)::int from bots where status <> 'archived') as bots,
    greatest(
      (select max(newest.last_message_at) from unnest(${State.options}::text[]) as state_option, lateral (
        select last_message_at from conversations where state = state_option order by last_message_at desc limit 1) as newest),
      (select created_at from audit_entries where actor_type in ('user', 'api_key') order by id desc limit 1)
    ) as last_activity_at`.execute(tx);
  return rows[0] ?? { members: 0, bots: 0, lastActivityAt: null };
}

/** Counting stops here, because counting all rows of a large tenant would take seconds. */
const maxCounted = 10_000;
const countUpToMax = (rows: ReturnType<typeof sql>) =>
  sql`(select count(*)::int from (${rows} limit ${maxCounted}) as counted)`;

/** Counts everything that a suspension would stop. */
export async function countEffects(tx: Tx): Promise<SuspensionEffects> {
  const usable = sql`revoked_at is null and (expires_at is null or expires_at > now())`;
  const { rows } = await sql<SuspensionEffects>`select
    (select count(*)::int from bots where status = 'active'
      and exists (select from bot_deployments d where d.bot_id = bots.id)) as live_bots,
    (select count(*)::int from api_keys where key_type = 'public_widget' and ${usable}) as widget_keys,
    (select count(*)::int from api_keys where key_type = 'secret_server' and ${usable}) as server_keys,
    (select count(*)::int from webhooks where status <> 'disabled') as endpoints,
    (select count(*)::int from webhooks where status <> 'disabled'
      and exists (select from webhook_queue q where q.webhook_id = webhooks.id)) as waiting_endpoints,
    ${countUpToMax(sql`select 1 from webhook_queue`)} as waiting_deliveries,
    ${countUpToMax(sql`select 1 from conversations where state in ('bot', 'waiting_human', 'human')`)} as open_conversations,
    (select count(*)::int from knowledge_sources where state = 'syncing') as running_syncs,
    (select count(*)::int from directory.people_of_tenant(array(select user_id from memberships)) where not disabled) as members
  `.execute(tx);
  const [effects] = rows;
  if (!effects) throw new Error('count query returned no row');
  return effects;
}
