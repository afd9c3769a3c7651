import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import type { Install } from './widget-sessions.contract.ts';

// No `where tenantId` anywhere below: row-level security adds it, and a test proves it.

/** `https://*.example.com` lets anybody make up names below it: those that came first stay, later ones are not kept. */
export const maxOrigins = 50;

export interface Seen {
  origin: string;
  at: Date;
}

export async function saveInstalls(tx: Tx, botId: string, seen: readonly Seen[]): Promise<void> {
  const news = sql`unnest(${seen.map(({ origin }) => origin)}::text[], ${seen.map(({ at }) => at)}::timestamptz[])
    as seen (origin, at)`;
  const { rows: known } = await sql<{ origin: string }>`
    update widget_installs set last_seen_at = greatest(last_seen_at, seen.at) from ${news}
    where bot_id = ${botId} and widget_installs.origin = seen.origin
    returning widget_installs.origin`.execute(tx);
  if (known.length === seen.length) return;
  // Locked, so that two processes that count at once do not both find room.
  await tx.selectFrom('bots').select('id').where('id', '=', botId).forNoKeyUpdate().execute();
  await sql`
    insert into widget_installs (bot_id, origin, first_seen_at, last_seen_at)
    select ${botId}, origin, at, at from ${news}
    where not exists (select from widget_installs known where known.bot_id = ${botId} and known.origin = seen.origin)
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
