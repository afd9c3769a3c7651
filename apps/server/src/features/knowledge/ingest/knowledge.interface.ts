import { iface } from '@restatedev/restate-sdk-core';
import type { Id } from '../../../platform/ids.contract.ts';
import type { SyncCall } from './sync.ts';

interface DueCall {
  tenantId: Id<'tenant'>;
  sourceId: string;
  /** The time it was scheduled for. A call for an outdated time is ignored. */
  at: string;
}

/** Stored by Restate: renaming it, or a handler, abandons pending calls. */
export const knowledgeSourceObject = iface.object('KnowledgeSource', {
  sync: iface.json<SyncCall>(),
  due: iface.json<DueCall>(),
});
