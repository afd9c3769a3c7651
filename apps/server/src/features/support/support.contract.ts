import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';
import { ListQuery, Page } from '../../platform/lists.contract.ts';
import { SupportedEndpoint } from '../webhooks/support/support.contract.ts';

// The state of a tenant, for support: names and states, never message text or secrets.

export const TenantId = z.object({ id: idOf('tenant') });

const SupportedBot = z
  .object({
    id: idOf('bot'),
    name: z.string(),
    status: z.enum(['active', 'paused', 'archived']),
    deployedTo: z.array(z.string()).describe('Names of the environments.'),
    lastConversationAt: z.date().nullable(),
    sources: z.object({ ready: z.int(), syncing: z.int(), waiting: z.int(), failed: z.int() }),
  })
  .meta({ id: 'SupportedBot' });
export type SupportedBot = z.infer<typeof SupportedBot>;

const SupportedKey = z
  .object({
    id: idOf('apiKey'),
    name: z.string(),
    keyType: z.enum(['secret_server', 'public_widget']),
    hint: z.string(),
    lastUsedAt: z.date().nullable(),
    expiresAt: z.date().nullable(),
    revokedAt: z.date().nullable(),
  })
  .meta({ id: 'SupportedKey' });
export type SupportedKey = z.infer<typeof SupportedKey>;

const Budget = z.object({
  name: z.enum(['messages_this_month', 'model_spend_today']),
  used: z.number(),
  reserved: z.number(),
  allowed: z.number(),
});

export const TenantHealth = z
  .object({
    bots: z.array(SupportedBot).describe('The latest 100.'),
    endpoints: z.array(SupportedEndpoint).describe('The latest 100.'),
    keys: z.array(SupportedKey).describe('The latest 100, active ones first.'),
    unknownRuns: z.int().describe('Action runs with an unknown outcome, counted up to 1,000.'),
    budgets: z.array(Budget),
  })
  .meta({ id: 'TenantHealth' });
export type TenantHealth = z.infer<typeof TenantHealth>;

export const TenantError = z
  .object({
    id: z.string(),
    kind: z.enum(['request', 'turn', 'delivery', 'run', 'sync']),
    at: z.date().describe('The last occurrence.'),
    what: z.string().describe('The operation, event type or name of the resource.'),
    status: z.int().nullable(),
    reason: z.string(),
    count: z.int().describe('Number of identical requests within the hour.'),
    requestId: z.string().nullable(),
    traceId: z.string().nullable(),
    traceUrl: z.string().nullable().describe('Set if TRACE_URL is configured.'),
    actor: z.object({ type: z.string(), id: z.string().nullable() }).nullable(),
    subjectId: z.string().nullable().describe('The conversation, delivery, run or source.'),
    webhookId: idOf('webhook').nullable(),
  })
  .meta({ id: 'TenantError' });
export type TenantError = z.infer<typeof TenantError>;
export const TenantErrors = Page(TenantError);
export const ListErrors = ListQuery;
