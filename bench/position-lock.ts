import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { z } from 'zod';
import { createTenant } from '../apps/server/src/features/tenants/tenants.service.ts';
import { asSystem, inTenant, type Services } from '../apps/server/src/platform/context.ts';
import { openKeyring } from '../apps/server/src/platform/crypto.ts';
import { connect } from '../apps/server/src/platform/db.ts';
import { defineEvent, emit } from '../apps/server/src/platform/events.ts';
import type { Id } from '../apps/server/src/platform/ids.contract.ts';
import { newId } from '../apps/server/src/platform/ids.ts';
import { withDatabase } from './database.ts';
import { result, type Result } from './figures/result.ts';
import { takeTurns } from './figures/stats.ts';
import { createExit } from './position-lock-exit.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
const seconds = Number(process.env['BENCH_SECONDS'] ?? 2);
const concurrency = 16;

const happened = defineEvent('bench.changed', z.object({ object: z.object({ n: z.int() }) }), {
  permission: 'webhook.view',
  isAudited: false,
});

/**
 * How many events one tenant can commit per second, given that each takes the tenant's next position under a lock (ADR 7),
 * and what other ways of ordering them would give. Transactions do nothing else, and each commit is written with fsync.
 */
export const positionLock = (): Promise<Result[]> =>
  withDatabase(
    async (database) => {
      const db = connect(database.appUrl, { max: concurrency });
      const keyring = openKeyring(`x:${randomBytes(32).toString('base64')}`);
      const services: Services = { db, keyring, wakeRelay: () => {}, notify: () => {} };
      const tenants: Id<'tenant'>[] = [];
      for (let n = 0; n < concurrency; n++) tenants.push(await addTenant(services));
      const [tenant = ''] = tenants;
      const change = (tenantId: string) =>
        inTenant(services, asSystem(tenantId as Id<'tenant'>, 'bench'), (ctx) =>
          emit(ctx, happened, 'bench', { object: { n: 1 } }),
        );
      const exit = await createExit(database, db);
      const waiting = watchLocks(database.admin);
      const commits = (workers: number, commit: (worker: number) => Promise<unknown>) => () => rateOf(workers, commit);
      try {
        const measures = {
          alone: commits(1, () => change(tenant)),
          four: commits(4, () => change(tenant)),
          sixteen: () => waiting.during(commits(concurrency, () => change(tenant))),
          tenants: commits(concurrency, (worker) => change(tenants[worker] ?? '')),
          bareLock: commits(concurrency, exit.tenantRow),
          conversations: commits(concurrency, exit.conversationRow),
          relay: () => exit.relayed(commits(concurrency, exit.unordered)),
        };
        await takeTurns(1, measures); // warm
        const turns = await takeTurns(rounds, measures);
        return figuresOf(turns, waiting.share(), exit.relayedPerSecond());
      } finally {
        await Promise.all([db.destroy(), exit.stop()]);
      }
    },
    { durable: true },
  );

async function addTenant(services: Services): Promise<Id<'tenant'>> {
  const tenantId = newId('tenant');
  await inTenant(services, asSystem(tenantId, 'bench'), (ctx) =>
    createTenant(ctx, { name: 'Bench', plan: 'enterprise' }),
  );
  return tenantId;
}

/** Commits per second by so many at a time. */
async function rateOf(workers: number, commit: (worker: number) => Promise<unknown>): Promise<number> {
  const until = performance.now() + seconds * 1_000;
  let count = 0;
  const work = async (worker: number) => {
    for (; performance.now() < until; count++) await commit(worker);
  };
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  return count / seconds;
}

/** The share of their time that transactions wait for a lock, from samples. */
function watchLocks(admin: Client) {
  let [waiting, total] = [0, 0];
  return {
    async during(measure: () => Promise<number>): Promise<number> {
      let isOver = false;
      const sample = async () => {
        while (!isOver) {
          const { rows } = await admin.query<{ waiting: string }>(
            `select count(*) as waiting from pg_stat_activity where usename = 'parley_app' and wait_event_type = 'Lock'`,
          );
          waiting += Number(rows[0]?.waiting);
          total += concurrency;
          await sleep(20);
        }
      };
      const [rate] = await Promise.all([measure().finally(() => (isOver = true)), sample()]);
      return rate;
    },
    share: () => waiting / total,
  };
}

type Key = 'alone' | 'four' | 'sixteen' | 'tenants' | 'bareLock' | 'conversations' | 'relay';

function figuresOf(
  { median, ratio }: Awaited<ReturnType<typeof takeTurns<Key>>>,
  lockShare: number,
  relayedPerSecond: number,
): Result[] {
  const figure = (name: string, key: Key, peer?: { key: Key; name: string }, note?: string) =>
    result({
      name,
      value: median(key),
      unit: 'per second',
      ...(peer && { peer: { name: peer.name, value: median(peer.key) }, ratio: ratio(key, peer.key) }),
      rounds,
      ...(note && { note }),
    });
  const share = `transactions spent ${Math.round(100 * lockShare)} % of their time waiting for the lock`;
  const bareLock = { key: 'bareLock', name: 'the tenant’s row, as today' } as const;
  return [
    figure('events of one tenant, one transaction at a time', 'alone'),
    figure('events of one tenant, 4 transactions at a time', 'four'),
    figure(
      `events of one tenant, ${concurrency} transactions at a time`,
      'sixteen',
      { key: 'tenants', name: `of ${concurrency} tenants` },
      share,
    ),
    figure('SQL alone: a position from the conversation’s row, 64 conversations', 'conversations', bareLock),
    figure(
      'SQL alone: no position, the relay assigns it later',
      'relay',
      bareLock,
      `one relay assigned ${Math.round(relayedPerSecond).toLocaleString('en')} per second meanwhile`,
    ),
  ];
}
