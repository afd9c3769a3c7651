// The real relay with a subscriber that writes down what it is handed, at no steady speed.
// Asked to (KILL_AFTER), it kills itself in the middle of a batch once it has written so many events.
import { randomUUID } from 'node:crypto';
import { fsyncSync, openSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { pino } from 'pino';
import { openKeyring } from '../../src/platform/crypto.ts';
import { connect } from '../../src/platform/db.ts';
import { startRelay } from '../../src/platform/relay.ts';
import { openSignals, openValkey } from '../../src/platform/valkey.ts';
import type { DeliveredLine } from './events-ledger.ts';
import { randomFrom } from './random.ts';

const setting = (name: string) => process.env[name] ?? '';
const random = randomFrom(Number(setting('SEED')));
const leaseSeconds = Number(setting('LEASE_SECONDS'));
const killAfter = Number(setting('KILL_AFTER') || Number.POSITIVE_INFINITY);
const file = openSync(setting('HANDED_ON'), 'a');
const admin = connect(setting('ADMIN_URL'), { max: 1 });
const run = randomUUID();
let written = 0;

/** How long a pause of 100 ms and a way to the database took at the longest: on a busy machine, longer than a lease. */
let slowestMs = 0;
void (async () => {
  for (;;) {
    const began = Date.now();
    await sleep(100);
    await sql`select 1`.execute(admin).catch(() => {});
    slowestMs = Math.max(slowestMs, Date.now() - began);
  }
})();

function write(line: DeliveredLine) {
  writeSync(file, `${JSON.stringify(line)}\n`); // in one piece, also beside another relay: the file is open for appending
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
      write({ run, tenantId, batch: { first, last, cursor, wasHeldUp: slowestMs > leaseSeconds * 500 } });
      const stallAt = random.chance(0.01) ? random.between(first, last) : 0; // longer than the lease: another takes over
      for (const { id, position } of events) {
        await sleep(position === stallAt ? leaseSeconds * 1_000 + 300 : random.between(0, 4));
        write({ run, tenantId, event: { id, position } });
        if (++written >= killAfter && position < last) process.kill(process.pid, 'SIGKILL');
      }
    },
  ],
});
openSignals(openValkey(setting('VALKEY_URL'), log), setting('VALKEY_PREFIX')).listen('relay', relay.wake);
log.info('the relay is ready');
