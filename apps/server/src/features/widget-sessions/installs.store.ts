import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import type { Install } from './widget-sessions.contract.ts';

// No `where tenantId` anywhere below: row-level security adds it, and a test proves it.

/** `https://*.example.com` allows any number of made-up hosts: only the first ones are stored. */
export const maxOrigins = 50;

export interface InstallRow {
  origin: string;
  at: Date;
}

export async function saveInstalls(tx: Tx, botId: string, installs: readonly InstallRow[]): Promise<void> {
  const rows = sql`unnest(${installs.map(({ origin }) => origin)}::text[], ${installs.map(({ at }) => at)}::timestamptz[])
    as install (origin, at)`;
  const { rows: updated } = await sql<{ origin: string }>`
    update widget_installs set last_seen_at = greatest(last_seen_at, install.at) from ${rows}
    where bot_id = ${botId} and widget_installs.origin = install.origin
    returning widget_installs.origin`.execute(tx);
  if (updated.length === installs.length) return;
  // Locked, so that two processes cannot exceed the limit together.
  await tx.selectFrom('bots').select('id').where('id', '=', botId).forNoKeyUpdate().execute();
  await sql`
    insert into widget_installs (bot_id, origin, first_seen_at, last_seen_at)
    select ${botId}, origin, at, at from ${rows}
    where not exists (select from widget_installs existing where existing.bot_id = ${botId} and existing.origin = install.origin)
    order by at, origin
    limit greatest(0, ${maxOrigins} - (select count(*) from widget_installs where bot_id = ${botId}))`.execute(tx);
}

export const listInstalls = (tx: Tx, botId: string): Promise<Install[]> =>
  tx
    .selectFrom('widgetInstalls')
    .select(['origin', 'firstSeenAt', 'lastSeenAt'])
    .where('botId', '=', botId)
    .orderBy('firstSeenAt')
    .orderBy('origin')
    .execute();
