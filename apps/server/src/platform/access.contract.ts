import { z } from 'zod';

/** Permissions of members and server keys. Every tenant route requires one. */
export const Permission = z.enum([
  'tenant.view',
  'tenant.manage',
  'tenant.delete',
  'ownership.transfer',
  'member.view',
  'member.manage',
  'billing.view',
  'billing.manage',
  'bot.view',
  'bot.manage',
  'knowledge.manage',
  'conversation.view',
  'conversation.reply',
  'conversation.assign',
  'contact.view',
  'contact.update',
  'contact.manage',
  'session.create',
  'integration.view',
  'integration.manage',
  'api_key.view',
  'api_key.manage',
  'webhook.view',
  'webhook.manage',
  'analytics.view',
  'audit.view',
  'support_access.manage',
  'policy.manage',
]);
export type Permission = z.infer<typeof Permission>;

/** Permissions of operators. Never accepted on tenant routes, and vice versa. */
export const PlatformPermission = z.enum([
  'platform.tenant.view',
  'platform.tenant.manage',
  'platform.user.view',
  'platform.user.manage',
  'platform.impersonate.request',
  'platform.audit.view',
  'platform.system.view',
  'platform.system.manage',
]);
export type PlatformPermission = z.infer<typeof PlatformPermission>;

/** Features that a plan includes or not. Routes may require one. */
export const Feature = z.enum([
  'api_keys',
  'webhooks',
  'live_webhooks',
  'private_actions',
  'knowledge',
  'custom_model',
  'human_handoff',
]);
export type Feature = z.infer<typeof Feature>;

/** Quotas of a tenant. */
export const Limit = z.enum([
  'bots.max',
  'members.max',
  'api_keys.max',
  'webhooks.max',
  'messages.per_month',
  'model_spend.per_day',
  'knowledge_megabytes.per_bot',
  'reads.per_minute',
]);
export type Limit = z.infer<typeof Limit>;
