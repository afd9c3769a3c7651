import * as restate from '@restatedev/restate-sdk';
import type { Services } from '../../platform/context.ts';
import { durableDefaults } from '../../platform/restate.ts';
import { keyRotationObject } from './key-rotation.interface.ts';
import { stepRotation } from './rotating.operator.service.ts';

/** Steps of about two seconds per invocation. */
const maxSteps = 4;
const waitMs = 1_000;

/** Continues in a call to itself, from the rotation's row. */
export const keyRotation = (services: Services, limits = { maxSteps }) =>
  restate.implement(keyRotationObject, {
    options: durableDefaults,
    handlers: {
      run: async (ctx, call) => {
        const self = ctx.sendClient(keyRotationObject, ctx.key);
        for (let step = 0; step < limits.maxSteps; step++) {
          const result = await ctx.run('a step', () => stepRotation(services, call.rotationId));
          if (result === 'over') return;
          if (result === 'wait') return void self.run(call, restate.rpc.sendOpts({ delay: { milliseconds: waitMs } }));
        }
        self.run(call);
      },
    },
  });
