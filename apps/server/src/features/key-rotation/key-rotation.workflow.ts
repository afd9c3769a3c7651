import * as restate from '@restatedev/restate-sdk';
import type { Services } from '../../platform/context.ts';
import { durableDefaults } from '../../platform/restate.ts';
import { stepRotation } from './rotating.operator.service.ts';

interface RotationCall {
  rotationId: string;
}

/** After this many steps a new invocation continues, to keep the journal short. */
const stepsPerCall = 100;
const keyRotationName = 'KeyRotation'; // stored by Restate: renaming it abandons calls already made

export const keyRotation = (services: Services) =>
  restate.object({
    name: keyRotationName,
    options: durableDefaults,
    handlers: {
      run: async (ctx: restate.ObjectContext, call: RotationCall) => {
        for (let step = 0; step < stepsPerCall; step++) {
          const result = await ctx.run('a step', () => stepRotation(services, call.rotationId));
          if (result === 'over') return;
          if (result === 'wait') await ctx.sleep(1_000);
        }
        ctx
          .objectSendClient<{ run(ctx: restate.ObjectContext, call: RotationCall): Promise<void> }>(
            { name: keyRotationName },
            ctx.key,
          )
          .run(call);
      },
    },
  });
