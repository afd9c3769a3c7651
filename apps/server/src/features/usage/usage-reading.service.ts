import type { Context } from '../../platform/context.ts';
import { readEntitlements } from '../entitlements/index.ts';
import type { Usage, UsageQuery } from './usage.contract.ts';
import { dayOf, daysOf, monthOf } from './usage.service.ts';
import * as store from './usage.store.ts';

const amounts = ['messages', 'turns', 'modelTurns', 'tokensIn', 'tokensOut', 'spend'] as const;

export async function readUsage({ tx, now }: Context, query: UsageQuery): Promise<Usage> {
  const rows = await store.listDays(tx, { ...daysOf(query, now), botId: query.botId });
  const days = rows.map(({ tokensIn, tokensOut, spendMicros, ...row }) => ({
    ...row,
    tokensIn: Number(tokensIn),
    tokensOut: Number(tokensOut),
    spend: Number(spendMicros) / 1e6,
  })) as Usage['days'];
  const sum = (name: (typeof amounts)[number]) => days.reduce((all, day) => all + day[name], 0);
  return {
    days,
    total: Object.fromEntries(amounts.map((name) => [name, sum(name)])) as Usage['total'],
    ...(await budgetsNow({ tx, now })),
  };
}

/** The current use, reservations and limits. */
export async function budgetsNow({
  tx,
  now,
}: Pick<Context, 'tx' | 'now'>): Promise<Pick<Usage, 'messagesThisMonth' | 'modelSpendToday'>> {
  const { entitlements } = await readEntitlements({ tx });
  const [month, today] = [monthOf(now), dayOf(now)];
  const messages = await store.budgetOf(tx, 'messages', month);
  const spend = await store.budgetOf(tx, 'spend', today);
  return {
    messagesThisMonth: { ...messages, allowed: entitlements['messages.per_month'], period: month },
    modelSpendToday: {
      used: spend.used / 1e6,
      reserved: spend.reserved / 1e6,
      allowed: entitlements['model_spend.per_day'],
      period: today,
    },
  };
}
