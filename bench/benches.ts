import type { Result } from './figures/result.ts';

export interface Bench {
  title: string;
  load: () => Promise<() => Promise<Result[]>>;
}

/** In the order of docs/figures/benchmarks.md. */
export const benches: Record<string, Bench> = {
  keys: { title: 'API keys', load: async () => (await import('./keys.ts')).keys },
  login: { title: 'Signing in', load: async () => (await import('./login.ts')).login },
  chat: { title: 'Chat', load: async () => (await import('./chat.ts')).chat },
  actions: { title: 'Actions in a turn', load: async () => (await import('./actions.ts')).actions },
  scale: { title: 'Several API processes', load: async () => (await import('./scale.ts')).scale },
  'position-lock': {
    title: 'Events of one tenant',
    load: async () => (await import('./position-lock.ts')).positionLock,
  },
  memory: { title: 'Memory after start', load: async () => (await import('./memory.ts')).memory },
  widget: { title: 'The widget on a page', load: async () => (await import('./widget.ts')).widget },
  webhooks: { title: 'Webhooks', load: async () => (await import('./webhooks.ts')).webhooks },
  'webhooks-scale': {
    title: 'Webhooks with many deliveries',
    load: async () => (await import('./webhooks-scale.ts')).webhooksScale,
  },
  'chat-scale': {
    title: 'A tenant with many conversations',
    load: async () => (await import('./chat-scale.ts')).chatScale,
  },
  conversations: {
    title: 'Rows and lists of many conversations',
    load: async () => (await import('./conversations.ts')).largeTenant,
  },
  inbox: { title: 'The inbox of a busy tenant', load: async () => (await import('./inbox.ts')).inbox },
  tenants: { title: 'Tenant search in the admin portal', load: async () => (await import('./tenants.ts')).tenants },
  erasure: { title: 'Erasing a visitor', load: async () => (await import('./erasure.ts')).erasure },
  ids: { title: 'The collation of IDs', load: async () => (await import('./ids.ts')).ids },
  chores: { title: 'Maintenance of many tenants', load: async () => (await import('./chores.ts')).chores },
  sweeper: { title: 'Timers after a loss of Restate’s data', load: async () => (await import('./sweeper.ts')).sweeper },
  storage: { title: 'Storage of messages and deliveries', load: async () => (await import('./storage.ts')).storage },
  sizing: { title: 'CPU and disk for a message', load: async () => (await import('./sizing.ts')).sizing },
  sdk: { title: 'SDK', load: async () => (await import('./sdk.ts')).sdk },
};
