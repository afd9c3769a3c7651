import type { Context } from '../../platform/context.ts';
import { invalid } from '../../platform/errors.ts';
import { tenantRoute } from '../../platform/http/route.ts';
import { readEntitlements } from '../entitlements/index.ts';
import { Usage, UsageQuery } from './usage.contract.ts';
import { dayOf, monthOf } from './usage.service.ts';
import * as store from './usage.store.ts';

export const usageRoutes = [
  tenantRoute({
    method: 'GET',
    path: '/usage',
    name: 'getUsage',
    tag: 'Usage',
    summary: 'Read what was used, by bot and day',
    permission: 'analytics.view',
    query: UsageQuery,
    answer: Usage,
    handler: (ctx, { query }) => readUsage(ctx, query),
  }),
];

const mostDays = 400;
const amounts = ['messages', 'turns', 'modelTurns', 'tokensIn', 'tokensOut', 'spend'] as const;

async function readUsage({ tx, now }: Context, query: UsageQuery): Promise<Usage> {
  const to = query.to ?? dayOf(now);
  const from = query.from ?? dayOf(new Date(Date.parse(to) - 30 * 86_400_000));
  if (from > to || Date.parse(to) - Date.parse(from) > mostDays * 86_400_000)
    throw invalid('invalid_range', [{ path: '/from', message: `At most ${mostDays} days, the first one first.` }]);
  const rows = await store.listDays(tx, { from, to, botId: query.botId });
  const days = rows.map(({ tokensIn, tokensOut, spendMicros, ...row }) => ({
    ...row,
    tokensIn: Number(tokensIn),
    tokensOut: Number(tokensOut),
    spend: Number(spendMicros) / 1e6,
  })) as Usage['days'];
  const sum = (name: (typeof amounts)[number]) => days.reduce((all, day) => all + day[name], 0);
  const { entitlements } = await readEntitlements({ tx });
  const [month, today] = [monthOf(now), dayOf(now)];
  const messages = await store.budgetOf(tx, 'messages', month);
  const spend = await store.budgetOf(tx, 'spend', today);
  return {
    days,
    total: Object.fromEntries(amounts.map((name) => [name, sum(name)])) as Usage['total'],
    messagesThisMonth: { ...messages, allowed: entitlements['messages.per_month'], period: month },
    modelSpendToday: {
      used: spend.used / 1e6,
      reserved: spend.reserved / 1e6,
      allowed: entitlements['model_spend.per_day'],
      period: today,
    },
  };
}
