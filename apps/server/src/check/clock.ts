import { sql } from 'kysely';
import { createSafeFetch } from '../platform/safe-fetch.ts';
import { defineFindings, timeouts, type CheckContext, type Finding } from './finding.ts';
import { ownUrlPolicy } from './urls.ts';

const { types, report } = defineFindings({
  'clock.skew': {
    level: 'error',
    cause:
      'The clock of this machine differs by more than 5 seconds from the one of PostgreSQL or of the proxy at PUBLIC_URL. Tokens, two-factor codes, signatures and schedules depend on the time.',
    fix: 'Synchronize the clocks of all machines, for example with chrony or systemd-timesyncd.',
  },
});
export const clockFindings = types;

const allowedMs = 5_000;

export const checkClock = (ctx: CheckContext): Promise<Finding[]> => compare([postgresTime(ctx), proxyTime(ctx)]);
export const checkDatabaseClock = (ctx: CheckContext): Promise<Finding[]> => compare([postgresTime(ctx)]);

interface Reading {
  name: string;
  setting: string;
  /** How far this machine is ahead. */
  aheadMs: number;
}

/** A clock that cannot be read is reported by the check of its server. */
async function compare(readings: Promise<Reading>[]): Promise<Finding[]> {
  const wrong = (await Promise.allSettled(readings))
    .flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    .filter(({ aheadMs }) => Math.abs(aheadMs) > allowedMs);
  const [first] = wrong;
  if (!first) return [];
  const seconds = Math.round(Math.abs(first.aheadMs) / 1_000);
  const names = wrong.map(({ name }) => name).join(' and ');
  const message = `The clock of this machine is ${seconds} s ${first.aheadMs > 0 ? 'ahead of' : 'behind'} ${names}.`;
  return [
    report(
      'clock.skew',
      wrong.map(({ setting }) => setting),
      message,
    ),
  ];
}

async function postgresTime({ db, now }: CheckContext): Promise<Reading> {
  const before = now();
  const { rows } = await sql<{ ms: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`.execute(db);
  return { name: 'PostgreSQL', setting: 'DATABASE_URL', aheadMs: aheadOf(rows[0]?.ms ?? Number.NaN, before, now()) };
}

/** `Date` is in whole seconds. */
async function proxyTime(ctx: CheckContext): Promise<Reading> {
  const url = new URL(ctx.config.PUBLIC_URL);
  const fetch = createSafeFetch(ownUrlPolicy(ctx, [url.host, url.hostname]));
  try {
    const before = ctx.now();
    const { headers } = await fetch({ url: url.href, method: 'HEAD', timeouts: timeouts(ctx.timeoutMs) });
    const ms = Date.parse(headers['date'] ?? '') + 500;
    return { name: 'PUBLIC_URL', setting: 'PUBLIC_URL', aheadMs: aheadOf(ms, before, ctx.now()) };
  } finally {
    await fetch.close();
  }
}

/** The other clock was read between `before` and `after`: only what lies outside counts. */
function aheadOf(other: number, before: number, after: number): number {
  if (other < before) return before - other;
  return other > after ? after - other : 0;
}
