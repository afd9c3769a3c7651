// What other features may use. Everything else here is private. Nothing of this knows bots: they use actions, which use this.
export { headersOf, type Target } from './sending.ts';
export { encryptedOfWebhooks, targetOf } from './targets.ts';
export { exists as webhookExists, find as findWebhook } from './webhooks.store.ts';
export { hintOf } from './hints.ts';
export { endpointsOfTenant } from './support-reading.ts';
export { listenerFetch } from './listener-fetch.ts';
export { findListened } from './listening.store.ts';
