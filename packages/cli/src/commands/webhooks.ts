import { each } from '@parley/sdk';
import type { Command } from 'commander';
import { parseList, take, integerBetween } from '../arguments.ts';
import { describeAttempt, describeChecks, describeDeliveries, describeWebhook } from '../describe-webhook.ts';
import { confirm } from '../prompt.ts';
import { fields, table } from '../out.ts';
import { openSession } from '../session.ts';

const statuses = ['active', 'failing', 'broken', 'disabled', 'paused'] as const;
const deliveryStatuses = ['pending', 'succeeded', 'exhausted', 'aborted', 'expired'] as const;

export function define(webhooks: Command): void {
  webhooks
    .command('list')
    .description('list endpoints and their health')
    .addOption(webhooks.createOption('--status <status>', 'filter by status').choices(statuses))
    .action(async ({ status }: { status?: (typeof statuses)[number] }, command: Command) => {
      const { parley, out } = await openSession(command);
      const data = await take(each(parley.listWebhooks, { query: { limit: 100, ...(status && { status }) } }));
      const rows = data.map(({ id, status, url, health }) => [id, status, String(health.waiting), url]);
      out.result(
        { data },
        data.length > 0 ? table(['ID', 'STATUS', 'PENDING', 'URL'], rows) : 'No webhook endpoints yet.',
      );
    });

  webhooks
    .command('create')
    .description('create an endpoint; the secret is shown only once')
    .argument('<url>', 'an https URL of your server')
    .option('-e, --event <types>', 'event types (default: all)', parseList, [])
    .option('--environment <id>', 'only events from this environment')
    .option('--bot <ids>', 'only events from these bots', parseList, [])
    .option('--description <text>', 'description')
    .option('--ordered', 'deliver in order within each conversation')
    .addHelpText(
      'after',
      '\nExample:\n  $ parley webhooks create https://shop.example/hooks -e conversation.* -e message.created',
    )
    .action(async (url: string, options: CreateOptions, command: Command) => {
      const { parley, out } = await openSession(command);
      const { event, environment, bot, description, ordered } = options;
      const body = {
        url,
        eventTypes: event.length > 0 ? event : ['*'],
        ...(environment && { environmentId: environment }),
        ...(bot.length > 0 && { botIds: bot }),
        ...(description && { description }),
        ...(ordered && { ordering: 'conversation' as const }),
      } as Parameters<typeof parley.createWebhook>[0]['body'];
      const created = await parley.createWebhook({ body });
      out.result(created, `${describeWebhook(created.webhook)}\n${fields({ secret: created.secret })}`);
      out.note('Copy the secret now. It won’t be shown again.');
    });

  webhooks
    .command('get')
    .description('show an endpoint')
    .argument('<webhook>')
    .action(async (webhookId: string, _options: object, command: Command) => {
      const { parley, out } = await openSession(command);
      const found = await parley.getWebhook({ path: { webhookId } });
      out.result(found, describeWebhook(found.webhook));
    });

  webhooks
    .command('delete')
    .description('delete an endpoint and its pending deliveries')
    .argument('<webhook>')
    .option('-y, --yes', 'skip confirmation')
    .action(async (webhookId: string, { yes }: { yes?: true }, command: Command) => {
      const { parley, out } = await openSession(command);
      const { webhook } = await parley.getWebhook({ path: { webhookId } });
      await confirm(`Delete ${webhook.url} and its ${webhook.health.waiting} pending deliveries?`, yes);
      out.result(await parley.deleteWebhook({ path: { webhookId } }), `Deleted ${webhook.url}.`);
    });

  for (const [name, description, operation] of [
    ['pause', 'pause an endpoint; deliveries are queued', 'pauseWebhook'],
    ['resume', 'resume an endpoint; queued deliveries are sent first', 'resumeWebhook'],
  ] as const)
    webhooks
      .command(name)
      .description(description)
      .argument('<webhook>')
      .action(async (webhookId: string, _options: object, command: Command) => {
        const { parley, out } = await openSession(command);
        const changed = await parley[operation]({ path: { webhookId } });
        out.result(changed, describeWebhook(changed.webhook));
      });

  webhooks
    .command('rotate-secret')
    .description('create a new secret; the old one keeps signing for a while')
    .argument('<webhook>')
    .option('--overlap <seconds>', 'how long the old secret keeps signing', integerBetween(0, 604_800))
    .option('--force', 'rotate even if the last rotation is still in progress')
    .action(async (webhookId: string, { overlap, force }: { overlap?: number; force?: true }, command: Command) => {
      const { parley, out } = await openSession(command);
      const body = { ...(overlap !== undefined && { overlapSeconds: overlap }), ...(force && { force }) };
      const created = await parley.rotateWebhookSecret({ path: { webhookId }, body });
      out.result(created, fields({ secret: created.secret, 'old secret expires': created.previousExpiresAt }));
      out.note('Copy the secret now. It won’t be shown again.');
    });

  webhooks
    .command('deliveries')
    .description('list deliveries, newest first, or show every attempt of one delivery')
    .argument('<webhook>')
    .argument('[delivery]')
    .addOption(webhooks.createOption('--status <status>', 'filter by status').choices(deliveryStatuses))
    .option('-n, --limit <n>', 'maximum number of deliveries', integerBetween(1, 10_000), 20)
    .action(async (webhookId: string, deliveryId: string | undefined, options: DeliveryOptions, command: Command) => {
      const { parley, out } = await openSession(command);
      if (deliveryId !== undefined) {
        const found = await parley.getWebhookDelivery({ path: { webhookId, deliveryId } });
        const { eventType, status, log, curl } = found.delivery;
        const lines = [`${eventType}: ${status}`, ...log.map(describeAttempt), ...(curl ? ['', curl] : [])];
        out.result(found, lines.join('\n'));
        return;
      }
      const { status, limit } = options;
      const query = { limit: Math.min(limit, 100), ...(status && { status }) };
      const data = await take(each(parley.listWebhookDeliveries, { path: { webhookId }, query }), limit);
      out.result({ data }, describeDeliveries(data));
    });

  webhooks
    .command('test')
    .description('send a test request to an endpoint')
    .argument('<webhook>')
    .option('--security', 'also send forged, expired, repeated and inconsistent requests, which must be rejected')
    .addHelpText('after', '\nExits with 1 if the endpoint fails or accepts a request it should reject.')
    .action(async (webhookId: string, { security }: { security?: true }, command: Command) => {
      const { parley, out } = await openSession(command);
      const body = security ? { mode: 'security' as const } : {};
      const tested = await parley.testWebhook({ path: { webhookId }, body });
      out.result(tested, [describeAttempt(tested.attempt), ...describeChecks(tested.checks)].join('\n'));
      const isPassing = tested.attempt.outcome === 'succeeded' && tested.checks.every(({ isPassed }) => isPassed);
      if (!isPassing) process.exitCode = 1;
    });
}

interface CreateOptions {
  event: string[];
  environment?: string;
  bot: string[];
  description?: string;
  ordered?: true;
}
interface DeliveryOptions {
  status?: (typeof deliveryStatuses)[number];
  limit: number;
}
