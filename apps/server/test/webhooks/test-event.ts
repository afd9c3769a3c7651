import { z } from 'zod';
import { asSystem, inTenant, type Services } from '../../src/platform/context.ts';
import { defineEvent, emit } from '../../src/platform/events.ts';
import type { Id } from '../../src/platform/ids.contract.ts';

/** A public event that only webhooks subscribe to. */
export const testEvent = defineEvent('test.happened', z.object({ object: z.object({ n: z.int() }) }), {
  permission: 'webhook.view',
  isAudited: false,
});
export interface EventOptions {
  conversationId?: string;
  environmentId?: string;
  botId?: string;
  sequence?: number;
}
export const emitTestEventIn = (inServices: Services, tenantId: Id<'tenant'>, n: number, options: EventOptions = {}) =>
  inTenant(inServices, asSystem(tenantId, 'test'), (ctx) =>
    emit(ctx, testEvent, `subject-${n}`, { object: { n } }, options as never),
  );
