import type { Limit } from '../../platform/access.contract.ts';
import type { Context } from '../../platform/context.ts';
import { later } from '../../platform/db.ts';
import { createCounter } from '../../platform/metrics/instruments.ts';
import { AppError, invalid } from '../../platform/errors.ts';
import { emit } from '../../platform/events.ts';
import type { Entitlements } from '../entitlements/index.ts';
import { thresholdReached } from './usage.events.ts';
import * as store from './usage.store.ts';

export const dayOf = (moment: Date) => moment.toISOString().slice(0, 10);
export const monthOf = (moment: Date) => `${moment.toISOString().slice(0, 7)}-01`;
const maxDays = 400;

/** The requested days. Defaults to the last month. */
export function daysOf(query: { from?: string | undefined; to?: string | undefined }, now: Date) {
  const to = query.to ?? dayOf(now);
  const from = query.from ?? dayOf(new Date(Date.parse(to) - 30 * 86_400_000));
  if (from > to || Date.parse(to) - Date.parse(from) > maxDays * 86_400_000)
    throw invalid('invalid_range', [
      { path: '/from', message: `The range must start before it ends and cover at most ${maxDays} days.` },
    ]);
  return { from, to };
}

/** The period of the same length right before. */
export function previousOf({ from, to }: { from: string; to: string }) {
  const dayMs = 86_400_000;
  const days = (Date.parse(to) - Date.parse(from)) / dayMs + 1;
  const shift = (day: string) => dayOf(new Date(Date.parse(day) - days * dayMs));
  return { from: shift(from), to: shift(to) };
}

const micros = (dollars: number) => Math.floor(dollars * 1_000_000);

const thresholds = [80, 100];
/** The budget in which each of these limits is counted. */
const budgetNames: Partial<Record<Limit, string>> = {
  'messages.per_month': 'messages',
  'model_spend.per_day': 'spend',
};

/** Publishes an event for each threshold that is crossed. */
async function publishThresholds(
  ctx: Context,
  limit: Limit,
  period: string,
  before: number,
  after: number,
  allowed: number,
) {
  for (const percent of thresholds) {
    const mark = (allowed * percent) / 100;
    if (before >= mark || after < mark) continue;
    await emit(ctx, thresholdReached, ctx.tenantId, { object: { limit, percent, used: after, allowed, period } });
    later(ctx.tx, store.saveReachedThreshold(ctx.tx, budgetNames[limit] ?? limit, period, percent));
  }
}

/** Counts a visitor's message. Throws if it exceeds the plan's limit, so the message is not accepted. */
export async function countMessage(
  ctx: Context,
  botId: string,
  entitlements: Entitlements,
  { startsConversation }: { startsConversation: boolean },
): Promise<void> {
  const allowed = entitlements['messages.per_month'];
  const month = monthOf(ctx.now);
  const used = await store.addMessage(ctx.tx, { day: dayOf(ctx.now), month, botId, startsConversation });
  if (used > allowed) {
    budgetRefusals.inc({ budget: 'messages' });
    throw new AppError(
      'FEATURE_NOT_ENTITLED',
      'message_limit_reached',
      'This chat has reached its monthly limit. Please contact us another way.',
    );
  }
  await publishThresholds(ctx, 'messages.per_month', month, used - 1, used, allowed);
}

type BudgetKind = 'tenant_spend' | 'bot_spend' | 'visitor_spend';
const budgetRefusals = createCounter(
  'parley_budget_refusals_total',
  'Messages and model calls that a budget refused.',
  {
    budget: ['messages', 'tenant_spend', 'bot_spend', 'visitor_spend'],
  },
);

export interface Budget {
  botId: string;
  visitorId: string | null;
  /** In dollars per day. null: no separate limit. */
  perBot: number | null;
  perVisitor: number | null;
  perTenant: number;
}

/**
 * Reserves spend before a model is called, from the daily budgets of the visitor, the bot and the tenant. Returns false
 * if any of them is insufficient. If a step is repeated after a crash, the first reservation is charged in full,
 * because the cost of the first attempt is unknown.
 */
export async function reserveSpend(ctx: Context, id: string, amount: number, budget: Budget): Promise<boolean> {
  const period = dayOf(ctx.now);
  const budgets: [name: string, dollars: number | null, kind: BudgetKind][] = [
    ['spend', budget.perTenant, 'tenant_spend'],
    [`spend:${budget.botId}`, budget.perBot, 'bot_spend'],
    [`spend:${budget.visitorId}`, budget.visitorId === null ? null : budget.perVisitor, 'visitor_spend'],
  ];
  const limited = budgets.flatMap(([name, dollars, kind]) =>
    dollars === null ? [] : [{ name, kind, max: micros(dollars) }],
  );
  const [isRepeat, ...reserved] = await Promise.all([
    store.hasReservation(ctx.tx, id),
    ...limited.map(({ name, max }) => store.reserve(ctx.tx, name, period, amount, max)),
  ]);
  const names = limited.flatMap(({ name }, n) => (reserved[n] ? [name] : []));
  if (names.length < limited.length) {
    for (const [n, { kind }] of limited.entries()) if (!reserved[n]) budgetRefusals.inc({ budget: kind });
    for (const name of names) later(ctx.tx, store.release(ctx.tx, name, period, amount));
    return false;
  }
  if (isRepeat) await settleSpend(ctx, id, null, budget.perTenant);
  later(ctx.tx, store.insertReservation(ctx.tx, { id, period, names, micros: amount }));
  return true;
}

/** Settles a reservation. `spent` is null if the cost is unknown: then the reserved amount is charged. */
export async function settleSpend(ctx: Context, id: string, spent: number | null, perTenant: number): Promise<void> {
  const budget = (await store.settle(ctx.tx, id, spent)).find(({ name }) => name === 'spend');
  if (!budget) return;
  const { period, before, after } = budget;
  if (after > before) ctx.afterCommit(() => ctx.countActivity('model_spend', ctx.tenantId, after - before));
  await publishThresholds(ctx, 'model_spend.per_day', period, before / 1e6, after / 1e6, perTenant);
}
