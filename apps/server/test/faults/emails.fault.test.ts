import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { admin, settings, countLockWaits } from '../harness.ts';
import { aMailer, receivedCounts, emptyOutbox, mail, queue, queueOne, pollOptions, queuedCount } from '../emails.ts';
import { startChild, type Child } from './child.ts';
import { hold } from './hold.ts';
import { randomFrom, rounds, seed } from './random.ts';

const leaseSeconds = 2;
const children = new Set<Child>();
beforeEach(emptyOutbox);
afterEach(() => children.forEach((child) => child.signal('SIGKILL')));
afterAll(() => mail.stop());

async function aMailerProcess(): Promise<Child> {
  const more = { SMTP_URL: mail.smtpUrl, LEASE_SECONDS: String(leaseSeconds) };
  const child = startChild('test/faults/emails-mailer.ts', settings(more));
  children.add(child);
  await child.ready;
  return child;
}
const shutGate = () => hold((tx) => sql`select pg_advisory_xact_lock(1)`.execute(tx));

async function kill(child: Child) {
  child.signal('SIGKILL');
  await child.ended;
}

/** PostgreSQL does not see that whoever asked is gone while it waits at a lock: the mark would still be made. */
async function endSessionsAtLocks() {
  const waiting = sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  await waiting.execute(admin);
  await expect.poll(countLockWaits, pollOptions).toBe(0);
}

test('a mailer killed after taking an email: another sends it, once', async () => {
  const openGate = await shutGate();
  const killed = await aMailerProcess();
  const address = await queueOne();
  await expect.poll(countLockWaits, pollOptions).toBe(1);
  await kill(killed);
  await openGate();
  expect(receivedCounts([address])).toEqual([0]);
  aMailer({ leaseSeconds });
  await expect.poll(() => receivedCounts([address]), pollOptions).toEqual([1]);
  await expect.poll(queuedCount, pollOptions).toBe(0);
  expect(receivedCounts([address])).toEqual([1]);
});

test('a mailer killed between the server’s yes and the mark: it comes again, with the same Message-ID', async () => {
  const openGate = await shutGate();
  const killed = await aMailerProcess();
  const address = await queueOne();
  await expect.poll(countLockWaits, pollOptions).toBe(1);
  const letGo = await hold((tx) => sql`select from directory.emails for update`.execute(tx));
  await openGate();
  const first = await mail.next(({ to }) => to.includes(address));
  await expect.poll(countLockWaits, pollOptions).toBe(1); // at the mark
  await kill(killed);
  await endSessionsAtLocks();
  await letGo();
  aMailer({ leaseSeconds });
  const second = await mail.next(({ to }) => to.includes(address));
  expect(second.messageId).toBe(first.messageId);
  await expect.poll(queuedCount, pollOptions).toBe(0);
});

const kills = Math.max(4, Math.ceil(rounds / 5));
test(
  `${kills} mailers killed at random points: every email comes, and copies of one share its Message-ID`,
  async () => {
    console.log(`emails: FAULT_SEED=${seed} FAULT_ROUNDS=${rounds}`);
    const random = randomFrom(seed);
    const addresses: string[] = [];
    for (let n = 0; n < kills; n++) {
      const killed = await aMailerProcess();
      addresses.push(...(await queue(12)));
      await sleep(random.between(0, 60));
      await kill(killed);
    }
    const cut = (await sql`select from directory.emails where attempts > 0`.execute(admin)).rows.length;
    aMailer({ leaseSeconds });
    await expect.poll(queuedCount, pollOptions).toBe(0);
    expect(receivedCounts(addresses).filter((count) => count === 0)).toEqual([]);
    const emails = mail.messages().filter(({ to }) => addresses.includes(to[0] ?? ''));
    expect(new Set(emails.map(({ messageId }) => messageId)).size).toBe(addresses.length);
    const copies = emails.length - addresses.length;
    console.log(`emails: ${addresses.length} emails, ${cut} cut off by the kills, ${copies} copies`);
  },
  60_000 + kills * 5_000,
);
