import type { Schemas } from '@parley/portal-kit/service';

type Entitlements = Schemas['Entitlements'];

/** What a plan can include. */
export const features = [
  ['knowledge', 'Knowledge', 'Bots answer from your website and files.'],
  ['human_handoff', 'Human handoff', 'Agents take over when the bot can’t help.'],
  ['api_keys', 'API keys', 'Connect your backend and your widget.'],
  ['webhooks', 'Webhooks', 'Send events to your backend.'],
  ['live_webhooks', 'Live webhooks', 'Send events from live environments.'],
  ['private_actions', 'Private actions', 'Bots call your own backend during a chat.'],
  ['custom_model', 'Custom models', 'Use your own account with a model provider.'],
] as const;

const count = new Intl.NumberFormat('en');

export const limits: [keyof Entitlements, string, (max: number) => string][] = [
  ['messages.per_month', 'Messages', (max) => `${count.format(max)} per month`],
  ['model_spend.per_day', 'AI budget', (max) => `$${count.format(max)} per day`],
  ['bots.max', 'Bots', (max) => count.format(max)],
  ['members.max', 'Seats', (max) => count.format(max)],
  ['api_keys.max', 'API keys', (max) => count.format(max)],
  ['webhooks.max', 'Webhook endpoints', (max) => (max === 0 ? 'None' : count.format(max))],
  ['knowledge_megabytes.per_bot', 'Knowledge storage per bot', (max) => `${count.format(max)} MB`],
  ['reads.per_minute', 'API reads', (max) => `${count.format(max)} per minute`],
];
