import { iface } from '@restatedev/restate-sdk-core';
import type { Id } from '../../platform/ids.contract.ts';

interface KeyExpiry {
  tenantId: Id<'tenant'>;
  keyId: string;
  expiresAt: string;
}

/** Stored by Restate: renaming it, or a handler, abandons calls already scheduled. */
export const apiKeyExpiryService = iface.service('ApiKeyExpiry', { warn: iface.json<KeyExpiry>() });
