import { each } from '@parley/sdk';
import type { Command } from 'commander';
import { several, take, wholeNumber } from '../arguments.ts';
import { attemptWords, checksWords, deliveriesWords, webhookWords } from '../webhook-words.ts';
import { confirmed } from '../ask.ts';
import { fields, table } from '../out.ts';
import { openSession } from '../session.ts';

const statuses = ['active', 'failing', 'broken', 'disabled', 'paused'] as const;
const deliveryStatuses = ['pending', 'succeeded', 'exhausted', 'aborted', 'expired'] as const;

export function define(webhooks: Command): void {
  webhooks
    .command('list')
    .description('your endpoints, and how they do')
    .addOption(webhooks.createOption('--status <status>', 'only those').choices(statuses))
    .action(async ({ status }: { status?: (typeof statuses)[number] }, command: Command) => {
      const { parley, out } = await openSession(command);
      const data = await take(each(parley.listWebhooks, { query: { limit: 100, ...(status && { status }) } }));
      const rows = data.map(({ id, status, url, health }) => [id, status, String(health.waiting), url]);
      out.answer({ data }, data.length > 0 ? table(['ID', 'STATUS', 'WAITING', 'URL'], rows) : 'No endpoint yet.');
    });

  webhooks
    .command('create')
    .description('register an endpoint; the secret is shown this once')
    .argument('<url>', 'an https address of yours')
    .option('-e, --event <types>', 'what it is told of', several, [])
    .option('--environment <id>', 'only what concerns this environment')
    .option('--bot <ids>', 'only what concerns these bots', several, [])
    .option('--description <text>', 'for whoever reads the list')
    .option('--ordered', 'in order within a conversation')
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
      const made = await parley.createWebhook({ body });
      out.answer(made, `${webhookWords(made.webhook)}\n${fields({ secret: made.secret })}`);
      out.note('Keep the secret now: it is not shown again.');
    });

  webhooks
    .command('get')
    .description('an endpoint in full')
    .argument('<webhook>')
    .action(async (webhookId: string, _options: object, command: Command) => {
      const { parley, out } = await openSession(command);
      const found = await parley.getWebhook({ path: { webhookId } });
      out.answer(found, webhookWords(found.webhook));
    });

  webhooks
    .command('delete')
    .description('remove an endpoint, and what waits for it')
    .argument('<webhook>')
    .option('-y, --yes', 'without asking')
    .action(async (webhookId: string, { yes }: { yes?: true }, command: Command) => {
      const { parley, out } = await openSession(command);
      const { webhook } = await parley.getWebhook({ path: { webhookId } });
      await confirmed(`Delete ${webhook.url}, and ${webhook.health.waiting} deliveries that wait for it?`, yes);
      out.answer(await parley.deleteWebhook({ path: { webhookId } }), `Deleted: ${webhook.url}`);
    });

  for (const [name, description, operation] of [
    ['pause', 'hold what comes for an endpoint', 'pauseWebhook'],
    ['resume', 'deliver again, and what was held first', 'resumeWebhook'],
  ] as const)
    webhooks
      .command(name)
      .description(description)
      .argument('<webhook>')
      .action(async (webhookId: string, _options: object, command: Command) => {
        const { parley, out } = await openSession(command);
        const changed = await parley[operation]({ path: { webhookId } });
        out.answer(changed, webhookWords(changed.webhook));
      });

  webhooks
    .command('rotate-secret')
    .description('a new secret; the old one signs beside it for a while')
    .argument('<webhook>')
    .option('--overlap <seconds>', 'how long the old one still signs too', wholeNumber(0, 604_800))
    .option('--force', 'although the last rotation is still under way')
    .action(async (webhookId: string, { overlap, force }: { overlap?: number; force?: true }, command: Command) => {
      const { parley, out } = await openSession(command);
      const body = { ...(overlap !== undefined && { overlapSeconds: overlap }), ...(force && { force }) };
      const made = await parley.rotateWebhookSecret({ path: { webhookId }, body });
      out.answer(made, fields({ secret: made.secret, 'old one until': made.previousExpiresAt }));
      out.note('Keep the secret now: it is not shown again.');
    });

  webhooks
    .command('deliveries')
    .description('the log of an endpoint, newest first; or every attempt of one delivery')
    .argument('<webhook>')
    .argument('[delivery]')
    .addOption(webhooks.createOption('--status <status>', 'only those').choices(deliveryStatuses))
    .option('-n, --limit <n>', 'so many', wholeNumber(1, 10_000), 20)
    .action(async (webhookId: string, deliveryId: string | undefined, options: DeliveryOptions, command: Command) => {
      const { parley, out } = await openSession(command);
      if (deliveryId !== undefined) {
        const found = await parley.getWebhookDelivery({ path: { webhookId, deliveryId } });
        const { eventType, status, log, curl } = found.delivery;
        const words = [`${eventType}: ${status}`, ...log.map(attemptWords), ...(curl ? ['', curl] : [])];
        out.answer(found, words.join('\n'));
        return;
      }
      const { status, limit } = options;
      const query = { limit: Math.min(limit, 100), ...(status && { status }) };
      const data = await take(each(parley.listWebhookDeliveries, { path: { webhookId }, query }), limit);
      out.answer({ data }, deliveriesWords(data));
    });

  webhooks
    .command('test')
    .description('call an endpoint now, and see what happens')
    .argument('<webhook>')
    .option('--security', 'also a forged, an old, a repeated and a contradictory call, which it must not take')
    .addHelpText('after', '\nExit code 1 when the endpoint failed, or took what it must not take.')
    .action(async (webhookId: string, { security }: { security?: true }, command: Command) => {
      const { parley, out } = await openSession(command);
      const body = security ? { mode: 'security' as const } : {};
      const tested = await parley.testWebhook({ path: { webhookId }, body });
      out.answer(tested, [attemptWords(tested.attempt), ...checksWords(tested.checks)].join('\n'));
      const isGood = tested.attempt.outcome === 'succeeded' && tested.checks.every(({ isPassed }) => isPassed);
      if (!isGood) process.exitCode = 1;
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
