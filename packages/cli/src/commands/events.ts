import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { integerBetween } from '../arguments.ts';
import { paint } from '../out.ts';
import { openSession, type Session } from '../session.ts';

const pageSize = 100;
const pollMs = 1_000;

interface Options {
  after?: string;
  limit: number;
  follow?: true;
}

export function define(events: Command): void {
  events
    .option('--after <cursor>', 'only events after this cursor')
    .option('-n, --limit <n>', 'maximum number of events, without --follow', integerBetween(1, 100_000), 25)
    .option('-f, --follow', 'keep printing new events until Ctrl-C; with --after, starts from that cursor')
    .addHelpText(
      'after',
      `
With --json, each line is one event, as sent to webhooks. Without --follow, the last line is { "nextCursor": … }.

Examples:
  $ parley events -n 100
  $ parley events --follow --json | jq .type`,
    )
    .action(async (options: Options, command: Command) => {
      const session = await openSession(command);
      await (options.follow ? follow(session, options.after) : list(session, options));
    });
}

async function list(session: Session, { after, limit }: Options): Promise<void> {
  let [cursor, remaining] = [after, limit];
  while (remaining > 0) {
    const pageLimit = Math.min(remaining, pageSize);
    const page = await read(session, cursor, pageLimit);
    cursor = page.nextCursor ?? cursor;
    page.data.forEach((event) => show(session, event));
    remaining -= page.data.length;
    if (page.data.length < pageLimit) break;
  }
  const nextCursor = cursor ?? null;
  if (session.out.isJson) session.out.result({ nextCursor }, '');
  else if (nextCursor) session.out.note(paint('dim', `To continue: --after ${nextCursor}`));
}

/** Polls every second. Existing events are skipped, unless a cursor is given. */
async function follow(session: Session, after: string | undefined): Promise<never> {
  let cursor = after;
  let isShown = after !== undefined;
  for (;;) {
    const page = await read(session, cursor, pageSize);
    cursor = page.nextCursor ?? cursor;
    if (isShown) page.data.forEach((event) => show(session, event));
    if (page.data.length === pageSize) continue;
    if (!isShown) session.out.note('Waiting for events…');
    isShown = true;
    await sleep(pollMs);
  }
}

const read = ({ parley }: Session, after: string | undefined, limit: number) =>
  parley.listEvents({ query: { limit, ...(after && { after }) } });

function show({ out }: Session, event: Record<string, unknown>): void {
  const { createdAt, type, id } = event as { createdAt?: string; type?: string; id?: string };
  out.result(event, `${paint('dim', createdAt ?? '')}  ${type}  ${paint('dim', id ?? '')}`);
}
