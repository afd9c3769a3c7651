import type { Fault } from '../fault.ts';
import type { Reply } from '../../../../tools/model/index.ts';
import { asBackend } from './backend.ts';
import { burns } from './burns.ts';

// Models and their budgets.

const modelReplies =
  (change: (reply: Reply) => Reply): Fault['start'] =>
  ({ model }) => {
    const { script } = model;
    model.script = (...call) => change(script(...call));
    return () => (model.script = script);
  };

const setBudget =
  (spendPerDay: number | null): Fault['start'] =>
  async (product) => {
    const change = (limit: number | null) =>
      asBackend(product, 'PATCH', `/bots/${product.demo.modelBot.botId}`, { limits: { spendPerDay: limit } });
    await change(spendPerDay);
    return () => change(null);
  };

export const models: readonly Fault[] = [
  {
    name: 'model-down',
    cause: 'The model’s provider responds with 500',
    fires: ['ParleyModelDown critical'],
    start: modelReplies((reply) => ({ ...reply, failWith: 500 })),
  },
  {
    name: 'model-hangs',
    cause: 'The model’s provider accepts calls and does not respond',
    fires: ['ParleyModelDown critical', 'ParleyFirstTokenErrorBudgetBurn critical'],
    lingers: ['ParleyFirstTokenErrorBudgetBurn warning'],
    limitSeconds: 420,
    start: modelReplies((reply) => ({ ...reply, hangAfter: 0 })),
  },
  {
    name: 'model-slow',
    cause: 'The model’s first token takes 3.5 s',
    fires: ['ParleyModelSlow warning'],
    consequences: burns('FirstToken'),
    limitSeconds: 240,
    start: modelReplies((reply) => ({ ...reply, firstAfterMs: 3_500 })),
  },
  {
    name: 'budget-spent',
    cause: 'A bot’s daily budget is used up',
    fires: ['ParleyBudgetRefusals warning'],
    limitSeconds: 180,
    start: setBudget(0),
  },
];
