// The real relay with a subscriber that logs what it receives, at varying speed.
// With KILL_AFTER, it kills itself in the middle of a batch after that many events.
import { randomUUID } from 'node:crypto';
import { fsyncSync, openSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { pino } from 'pino';
import { openKeyring } from '../../src/platform/crypto.ts';
import { connect } from '../../src/platform/db.ts';
import { startRelay } from '../../src/platform/relay.ts';
import { openSignals, openValkey } from '../../src/platform/valkey.ts';
import type { DeliveredLine } from './events-log.ts';
import { randomFrom } from './random.ts';

const setting = (name: string) => process.env[name] ?? '';
const random = randomFrom(Number(setting('SEED')));
const leaseSeconds = Number(setting('LEASE_SECONDS'));
const killAfter = Number(setting('KILL_AFTER') || Number.POSITIVE_INFINITY);
const file = openSync(setting('DELIVERED_FILE'), 'a');
const admin = connect(setting('ADMIN_URL'), { max: 1 });
const run = randomUUID();
let written = 0;

/** The longest time that a 100 ms sleep and a query took: on a busy machine, longer than a lease. */
let slowestMs = 0;
void (async () => {
  for (;;) {
    const startedAt = Date.now();
    await sleep(100);
    await sql`select 1`.execute(admin).catch(() => {});
    slowestMs = Math.max(slowestMs, Date.now() - startedAt);
  }
})();

function write(line: DeliveredLine) {
  writeSync(file, `${JSON.stringify(line)}\n`); // atomic, also next to another relay: the file is open for appending
  fsyncSync(file);
}

async function recordedCursor(tenantId: string): Promise<number> {
  const stream = sql<{
    deliveredPosition: string;
  }>`select delivered_position from directory.event_streams where tenant_id = ${tenantId}`;
  return Number((await stream.execute(admin)).rows[0]?.deliveredPosition);
}

// Only what a relay needs of the platform: it is started often.
const log = pino();
const services = {
  db: connect(setting('DATABASE_URL'), { max: 4 }),
  keyring: openKeyring(setting('MASTER_KEYS')),
  wakeRelay: () => {},
  notify: () => {},
};
const relay = startRelay({
  services,
  log,
  sweepMs: 200,
  leaseSeconds,
  batchSize: 10,
  subscribers: [
    async (tenantId, events) => {
      const [first, last] = [events[0]?.position ?? 0, events.at(-1)?.position ?? 0];
      const cursor = await recordedCursor(tenantId);
      write({ run, tenantId, batch: { first, last, cursor, wasDelayed: slowestMs > leaseSeconds * 500 } });
      const stallAt = random.chance(0.01) ? random.between(first, last) : 0; // longer than the lease: another relay takes over
      for (const { id, position } of events) {
        await sleep(position === stallAt ? leaseSeconds * 1_000 + 300 : random.between(0, 4));
        write({ run, tenantId, event: { id, position } });
        if (++written >= killAfter && position < last) process.kill(process.pid, 'SIGKILL');
      }
    },
  ],
});
openSignals(openValkey(setting('VALKEY_URL'), log), setting('VALKEY_PREFIX')).listen('relay', relay.wake);
log.info('relay ready');
