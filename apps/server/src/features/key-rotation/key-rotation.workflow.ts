import * as restate from '@restatedev/restate-sdk';
import type { Services } from '../../platform/context.ts';
import { durableDefaults } from '../../platform/restate.ts';
import { keyRotationObject } from './key-rotation.interface.ts';
import { stepRotation } from './rotating.operator.service.ts';

/** After this many steps a new invocation continues, to keep the journal short. */
const stepsPerCall = 100;

export const keyRotation = (services: Services) =>
  restate.implement(keyRotationObject, {
    options: durableDefaults,
    handlers: {
      run: async (ctx, call) => {
        for (let step = 0; step < stepsPerCall; step++) {
          const result = await ctx.run('a step', () => stepRotation(services, call.rotationId));
          if (result === 'over') return;
          if (result === 'wait') await ctx.sleep(1_000);
        }
        ctx.sendClient(keyRotationObject, ctx.key).run(call);
      },
    },
  });
