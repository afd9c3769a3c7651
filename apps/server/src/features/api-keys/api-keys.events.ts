import { z } from 'zod';
import { defineEvent } from '../../platform/events.ts';
import { ApiKey } from './api-keys.contract.ts';

// Names are public: customers subscribe to them. Add new ones; never rename or reuse one.

const data = z.object({ object: ApiKey });
const viewable = { permission: 'api_key.view' } as const;

export const apiKeyCreated = defineEvent('api_key.created', data, viewable);
export const apiKeyRotated = defineEvent('api_key.rotated', data.extend({ previousExpiresAt: z.date() }), viewable);
export const apiKeyRevoked = defineEvent('api_key.revoked', data, viewable);
/** A server key was sent from a browser, so anyone who can open that page has it. */
export const apiKeyExposed = defineEvent('api_key.exposed', data, viewable);
export const apiKeyExpiring = defineEvent('api_key.expiring', data, viewable);

/** For the expiry timer and the audit log. */
export const apiKeyUpdated = defineEvent('api_key.updated', data, { isPublic: false });
