import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { parseTime, parseList } from '../arguments.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { showProgress } from '../progress.ts';
import { openSession, type Session } from '../session.ts';
import { resolveEndpoint } from '../resolve-endpoint.ts';

const pollMs = 500;

interface Options {
  webhook?: string;
  since?: string;
  until?: string;
  status: string[];
  wait: boolean;
}
type Range = Parameters<Session['parley']['startWebhookReplay']>[0]['body'];

export function define(replay: Command): void {
  replay
    .argument('[delivery]', 'delivery ID')
    .option('--webhook <id>', 'endpoint ID (PARLEY_WEBHOOK_ID; optional if you have only one)')
    .option('--since <date>', 'start of the range, such as 6h', parseTime)
    .option('--until <date>', 'end of the range (default: now)', parseTime)
    .option('--status <statuses>', 'delivery statuses (default: undelivered)', parseList, [])
    .option('--no-wait', 'don’t wait until the whole range is queued')
    .addHelpText(
      'after',
      `
Events are sent again with the same ID and payload, so your server can ignore duplicates.
With --no-wait or after Ctrl-C, a range continues in the background.

Examples:
  $ parley replay dlv_01…
  $ parley replay --since 6h
  $ parley replay --since 2026-11-15 --until 2026-11-16 --status succeeded,exhausted`,
    )
    .action(async (deliveryId: string | undefined, options: Options, command: Command) => {
      if ((deliveryId === undefined) === (options.since === undefined))
        throw new CliError(
          exitCodes.usage,
          'delivery_or_range_required',
          'Pass a delivery ID, or a range with --since.',
        );
      const session = await openSession(command);
      const webhookId = await resolveEndpoint(session, options.webhook);
      if (deliveryId === undefined) return replayRange(session, webhookId, options);
      const queued = await session.parley.replayWebhookDelivery({ path: { webhookId, deliveryId } });
      session.out.result(queued, `Queued ${queued.delivery.eventType} as ${queued.delivery.id}.`);
    });
}

async function replayRange(session: Session, webhookId: string, { since, until, status, wait }: Options) {
  const { parley, out } = session;
  const body = {
    since: since ?? '',
    until: until ?? new Date().toISOString(),
    ...(status.length > 0 && { status }),
  } as Range;
  const started = await parley.startWebhookReplay({ path: { webhookId }, body });
  const replay = wait ? await waitUntilDone(session, webhookId, started.replay) : started.replay;
  const { id, state, queued } = replay;
  const message =
    state === 'running'
      ? `Replay ${id} continues in the background.`
      : `Queued ${queued} ${queued === 1 ? 'delivery' : 'deliveries'}.`;
  out.result({ replay }, message);
}

type Replay = Awaited<ReturnType<Session['parley']['getWebhookReplay']>>['replay'];

async function waitUntilDone({ parley, out }: Session, webhookId: string, started: Replay): Promise<Replay> {
  const progress = showProgress(out, 'Deliveries queued');
  try {
    for (let replay = started; ;) {
      progress.at(replay.queued);
      if (replay.state !== 'running') return replay;
      await sleep(pollMs);
      ({ replay } = await parley.getWebhookReplay({ path: { webhookId, replayId: replay.id } }));
    }
  } finally {
    progress.stop();
  }
}
