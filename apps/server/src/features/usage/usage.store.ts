import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import { prepared } from '../../platform/prepared.ts';

// No `where tenantId` anywhere below: row-level security adds it, and a test proves it.

interface CountedMessage {
  day: string;
  month: string;
  botId: string;
  startsConversation: boolean;
}
/** Counts a message for the bot's day and the tenant's month. Returns the total of the month. */
export async function addMessage(tx: Tx, { day, month, botId, startsConversation }: CountedMessage): Promise<number> {
  const started = startsConversation ? 1 : 0;
  const { rows } = await sql<{ used: string }>`
    with day as (
      insert into usage_days (day, bot_id, messages, conversations) values (${day}, ${botId}, 1, ${started}::int)
      on conflict (tenant_id, day, bot_id) do update
        set messages = usage_days.messages + 1, conversations = usage_days.conversations + ${started}::int)
    insert into budgets (name, period, used) values ('messages', ${month}, 1)
    on conflict (tenant_id, name, period) do update set used = budgets.used + 1 returning used`.execute(prepared(tx));
  return Number(rows[0]?.used);
}

/** Reserves an amount within the limit. A single statement, so that concurrent calls cannot exceed it. */
export async function reserve(tx: Tx, name: string, period: string, micros: number, max: number): Promise<boolean> {
  if (micros > max) return false;
  const row = await prepared(tx)
    .insertInto('budgets')
    .values({ name, period, reserved: micros })
    .onConflict((same) =>
      same
        .columns(['tenantId', 'name', 'period'])
        .doUpdateSet({ reserved: sql`budgets.reserved + ${micros}` })
        .where(sql<boolean>`budgets.used + budgets.reserved + ${micros} <= ${max}`),
    )
    .returning('name')
    .executeTakeFirst();
  return row !== undefined;
}

export async function settle(tx: Tx, name: string, period: string, reserved: number, spent: number): Promise<number> {
  const row = await prepared(tx)
    .updateTable('budgets')
    .set((eb) => ({ reserved: eb('reserved', '-', String(reserved)), used: eb('used', '+', String(spent)) }))
    .where('name', '=', name)
    .where('period', '=', sql<Date>`${period}::date`)
    .returning('used')
    .executeTakeFirstOrThrow();
  return Number(row.used);
}

/** Lets operators find tenants near their limits without scanning all of them. */
export const saveReachedThreshold = (tx: Tx, name: string, period: string, percent: number) =>
  tx
    .updateTable('budgets')
    .set({ reached: percent })
    .where('name', '=', name)
    .where('period', '=', sql<Date>`${period}::date`)
    .execute();

interface Reservation {
  id: string;
  period: string;
  names: string[];
  micros: number;
}
export const insertReservation = (tx: Tx, row: Reservation) =>
  prepared(tx).insertInto('reservations').values(row).execute();

/** Deletes and returns the reservation, so that it is settled only once. */
export async function takeReservation(tx: Tx, id: string): Promise<Reservation | undefined> {
  const row = await prepared(tx)
    .deleteFrom('reservations')
    .where('id', '=', id)
    .returning(['id', 'names', 'micros', sql<string>`to_char(period, 'YYYY-MM-DD')`.as('period')])
    .executeTakeFirst();
  return row && { ...row, micros: Number(row.micros) };
}

export const hasReservation = async (tx: Tx, id: string): Promise<boolean> =>
  (await prepared(tx).selectFrom('reservations').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;

interface Range {
  from: string;
  to: string;
  botId: string | undefined;
}
export async function listDays(tx: Tx, { from, to, botId }: Range) {
  let query = tx
    .selectFrom('usageDays')
    .select([
      sql<string>`to_char(day, 'YYYY-MM-DD')`.as('day'),
      'botId',
      'messages',
      'turns',
      'modelTurns',
      'tokensIn',
      'tokensOut',
      'spendMicros',
    ])
    .where('day', '>=', sql<Date>`${from}::date`)
    .where('day', '<=', sql<Date>`${to}::date`)
    .orderBy('day')
    .orderBy('botId');
  if (botId !== undefined) query = query.where('botId', '=', botId);
  return query.execute();
}

export async function budgetOf(tx: Tx, name: string, period: string) {
  const row = await tx
    .selectFrom('budgets')
    .select(['used', 'reserved'])
    .where('name', '=', name)
    .where('period', '=', sql<Date>`${period}::date`)
    .executeTakeFirst();
  return { used: Number(row?.used ?? 0), reserved: Number(row?.reserved ?? 0) };
}
