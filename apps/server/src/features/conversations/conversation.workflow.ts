import * as restate from '@restatedev/restate-sdk';
import { durableDefaults } from '../../platform/restate.ts';
import { askStep, type ModelParts } from './model-step.ts';
import { beginTurn, saveReply } from './turn.ts';
import type { TurnCall } from './waking.ts';

/** Somebody is waiting in front of a screen: what failed is tried again at once, and then every few seconds. */
const retryPolicy = {
  ...durableDefaults.retryPolicy,
  initialInterval: { milliseconds: 50 },
  maxInterval: { seconds: 3 },
  maxAttempts: 2_000,
};

/**
 * One conversation: one turn at a time, in the order of its messages. Each step leaves its result in PostgreSQL before
 * the engine hears of it; the journal holds ids and numbers only.
 */
export const conversation = (parts: ModelParts) =>
  restate.object({
    name: 'Conversation', // stored by Restate: renaming it abandons turns under way
    options: { ...durableDefaults, retryPolicy, inactivityTimeout: { minutes: 5 } },
    handlers: {
      run: async (ctx: restate.ObjectContext, { turnId, ...place }: TurnCall) => {
        for (;;) {
          const begun = await ctx.run('begin', () => beginTurn(parts, place, turnId));
          if (!begun) return;
          for (let n = 1, isAnswered = false; n <= begun.models && !isAnswered; n++)
            isAnswered = await ctx.run(`model ${n}`, () => askStep(parts, place, begun.turnId, n));
          if (begun.models > 0) await ctx.run('save reply', () => saveReply(parts, place, begun.turnId));
          if (begun.turnId === turnId) return;
        }
      },
    },
  });
