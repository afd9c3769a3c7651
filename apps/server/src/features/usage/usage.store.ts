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

/** Gives back what was reserved in one budget. */
export const release = (tx: Tx, name: string, period: string, micros: number) =>
  prepared(tx)
    .updateTable('budgets')
    .set((eb) => ({ reserved: eb('reserved', '-', String(micros)) }))
    .where('name', '=', name)
    .where('period', '=', sql<Date>`${period}::date`)
    .execute();

/**
 * Deletes a reservation, so that it is settled only once, and charges its budgets: what was spent, or all of it. Locks them
 * in the order of their names, as reserving does. Empty if it was settled before.
 */
export async function settle(tx: Tx, id: string, spent: number | null): Promise<SettledBudget[]> {
  const { rows } = await sql<{ name: string; period: string; used: string; cost: string }>`
    with reservation as (delete from reservations where id = ${id} returning names, period, micros),
    budget as (
      select budgets.name, budgets.period, micros, coalesce(${spent}::bigint, micros) as cost
      from reservation join budgets on budgets.name = any (names) and budgets.period = reservation.period
      order by budgets.name for no key update of budgets)
    update budgets set reserved = budgets.reserved - budget.micros, used = budgets.used + budget.cost
    from budget where budgets.name = budget.name and budgets.period = budget.period
    returning budgets.name, to_char(budgets.period, 'YYYY-MM-DD') as period, used, cost`.execute(prepared(tx));
  return rows.map(({ name, period, used, cost }) => ({
    name,
    period,
    before: Number(used) - Number(cost),
    after: Number(used),
  }));
}

interface SettledBudget {
  name: string;
  period: string;
  /** What was used, in millionths of a dollar. */
  before: number;
  after: number;
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
