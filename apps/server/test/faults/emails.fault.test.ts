import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { isFull } from '../../../../tools/testing/size.ts';
import { admin, settings, countLockWaits } from '../harness.ts';
import { aMailer, receivedCounts, emptyOutbox, mail, queue, queueOne, pollOptions, queuedCount } from '../emails.ts';
import { startChild, type Child } from './child.ts';
import { holdLock } from './hold-lock.ts';
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
const lockGate = () => holdLock((tx) => sql`select pg_advisory_xact_lock(1)`.execute(tx));

async function kill(child: Child) {
  child.signal('SIGKILL');
  await child.ended;
}

/** PostgreSQL does not notice a lost client while it waits for a lock: the update would still be made. */
async function endSessionsAtLocks() {
  const waiting = sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  await waiting.execute(admin);
  await expect.poll(countLockWaits, pollOptions).toBe(0);
}

test('another mailer sends an email once after the first is killed with its lease', async () => {
  const releaseGate = await lockGate();
  const killed = await aMailerProcess();
  const recipient = await queueOne();
  await expect.poll(countLockWaits, pollOptions).toBe(1);
  await kill(killed);
  await releaseGate();
  expect(receivedCounts([recipient])).toEqual([0]);
  aMailer({ leaseSeconds });
  await expect.poll(() => receivedCounts([recipient]), pollOptions).toEqual([1]);
  await expect.poll(queuedCount, pollOptions).toBe(0);
  expect(receivedCounts([recipient])).toEqual([1]);
});

test('sends an email again with the same Message-ID after a kill between SMTP acceptance and the update', async () => {
  const releaseGate = await lockGate();
  const killed = await aMailerProcess();
  const recipient = await queueOne();
  await expect.poll(countLockWaits, pollOptions).toBe(1);
  const release = await holdLock((tx) => sql`select from directory.emails for update`.execute(tx));
  await releaseGate();
  const first = await mail.next(({ to }) => to.includes(recipient));
  await expect.poll(countLockWaits, pollOptions).toBe(1); // at the update
  await kill(killed);
  await endSessionsAtLocks();
  await release();
  aMailer({ leaseSeconds });
  const second = await mail.next(({ to }) => to.includes(recipient));
  expect(second.messageId).toBe(first.messageId);
  await expect.poll(queuedCount, pollOptions).toBe(0);
});

const kills = isFull ? Math.max(4, Math.ceil(rounds / 5)) : 2;
test(
  `delivers every email when ${kills} mailers are killed at random points, and duplicates share a Message-ID`,
  async () => {
    console.log(`emails: FAULT_SEED=${seed} FAULT_ROUNDS=${rounds}`);
    const random = randomFrom(seed);
    const recipients: string[] = [];
    for (let n = 0; n < kills; n++) {
      const killed = await aMailerProcess();
      recipients.push(...(await queue(12)));
      await sleep(random.between(0, 60));
      await kill(killed);
    }
    const interrupted = (await sql`select from directory.emails where attempts > 0`.execute(admin)).rows.length;
    aMailer({ leaseSeconds });
    await expect.poll(queuedCount, pollOptions).toBe(0);
    expect(receivedCounts(recipients).filter((count) => count === 0)).toEqual([]);
    const emails = mail.messages().filter(({ to }) => recipients.includes(to[0] ?? ''));
    expect(new Set(emails.map(({ messageId }) => messageId)).size).toBe(recipients.length);
    const duplicates = emails.length - recipients.length;
    console.log(
      `emails: ${recipients.length} emails, ${interrupted} interrupted by the kills, ${duplicates} duplicates`,
    );
  },
  60_000 + kills * 5_000,
);
