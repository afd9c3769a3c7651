import { iface } from '@restatedev/restate-sdk-core';
import type { Id } from '../../../platform/ids.contract.ts';

export interface WaitingCall {
  tenantId: Id<'tenant'>;
  conversationId: Id<'conversation'>;
}

/** Stored by Restate: renaming it, or a handler, abandons calls already scheduled. */
export const waitingService = iface.service('WaitingConversation', { check: iface.json<WaitingCall>() });
