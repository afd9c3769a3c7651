// What other features may use. Everything else here is private. Nothing exported here imports bots: bots import actions, which import this.
export { headersOf, type Target } from './delivery/send.ts';
export { encryptedOfWebhooks, targetOf } from './endpoints/targets.ts';
export { exists as webhookExists, find as findWebhook } from './endpoints/webhooks.store.ts';
export { hintOf } from './delivery/hints.ts';
export { endpointsOfTenant } from './support/views.ts';
export { listenerFetch } from './listen/listener-fetch.ts';
export { findListened } from './listen/listen.store.ts';
export { wakeReplay } from './log/replay.interface.ts';
