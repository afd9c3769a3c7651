import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { startMailCatcher } from '../../../../tools/mail/index.ts';
import { freePort } from '../../../../tools/stack/index.ts';
import { isFull } from '../../../../tools/testing/size.ts';
import { admin, aTenant, services, inside } from '../../test/harness.ts';
import {
  aMailer,
  attemptsFor,
  receivedCounts,
  emptyOutbox,
  emailTo,
  logged,
  mail,
  note,
  oneEach,
  queue,
  queueOne,
  bodyMarker,
  pollOptions,
  queuedCount,
} from '../../test/emails.ts';
import { queueEmail, type EmailRenderers } from './emails.ts';
import { inPool } from './pool.ts';

afterAll(() => mail.stop());
beforeEach(emptyOutbox);

/** Renders slowly. */
const slow = (takeTime: () => Promise<unknown>): EmailRenderers => ({
  note: async (email) => {
    await takeTime();
    return note['note']?.(email) ?? null;
  },
});

test("sends an email queued in a tenant's or a pool's transaction and removes it from the outbox", async () => {
  const { tenantId } = await aTenant();
  await inside(tenantId, ({ tx }) => queueEmail(tx, 'note', 'member@example.com', { n: 1 }));
  await inPool(services.db, 'customer', (tx) => queueEmail(tx, 'note', 'person@example.com', { n: 2 }));
  aMailer();
  const email = await mail.next(({ to }) => to.includes('member@example.com'));
  expect(email).toMatchObject({ from: 'no-reply@parley.example', subject: 'A note' });
  expect([email.text.trim(), email.html.trim()]).toEqual([`${bodyMarker} 1`, `<p>${bodyMarker}</p>`]);
  await mail.next(({ to }) => to.includes('person@example.com'));
  await expect.poll(queuedCount, pollOptions).toBe(0);
});

test('does not send an email queued in a transaction that rolls back', async () => {
  const undone = services.db.transaction().execute(async (tx) => {
    await queueEmail(tx, 'note', 'nobody@example.com', {});
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  const later = await queue(1);
  aMailer();
  await expect.poll(() => receivedCounts(later), pollOptions).toEqual([1]);
  expect(receivedCounts(['nobody@example.com'])).toEqual([0]);
});

test('keeps emails queued while SMTP is down and sends each once when it is back', async () => {
  const smtpPort = await freePort();
  const addresses = await queue(25);
  aMailer({ smtpUrl: `smtp://127.0.0.1:${smtpPort}` });
  await expect.poll(() => attemptsFor(addresses[24] ?? ''), pollOptions).toBeGreaterThan(1);
  expect(await queuedCount()).toBe(25);
  const back = await startMailCatcher({ smtpPort });
  onTestFinished(back.stop);
  await expect.poll(queuedCount, pollOptions).toBe(0);
  expect(receivedCounts(addresses, back)).toEqual(oneEach(addresses));
});

test('does not send an email twice when three mailers run', async () => {
  const addresses = await queue(isFull ? 120 : 40);
  for (let n = 0; n < 3; n++) aMailer({ renderers: slow(() => sleep(20)), everyMs: 5 });
  await expect.poll(queuedCount, pollOptions).toBe(0);
  expect(receivedCounts(addresses)).toEqual(oneEach(addresses));
});

test('renews the lease of a slow email, so that no other mailer starts it', async () => {
  const address = await queueOne();
  let started = 0;
  const pastItsLease = async () => {
    started += 1;
    const first = await emailTo(address);
    const isPast = async () => ((await emailTo(address))?.nowSeconds ?? 0) > (first?.dueSeconds ?? 0);
    await expect.poll(isPast, { ...pollOptions, interval: 50 }).toBe(true);
  };
  for (let n = 0; n < 2; n++) aMailer({ renderers: slow(pastItsLease), leaseSeconds: 3 });
  await expect.poll(queuedCount, pollOptions).toBe(0);
  expect([started, ...receivedCounts([address])]).toEqual([1, 1]);
});

test('a slow email does not delay others', async () => {
  const address = await queueOne({ kind: 'long' });
  const others = await queue(6);
  const mayEnd = Promise.withResolvers<null>();
  aMailer({ renderers: { ...note, long: () => mayEnd.promise }, batchSize: 2 });
  await expect.poll(() => receivedCounts(others), pollOptions).toEqual(oneEach(others));
  expect(await attemptsFor(address)).toBe(1); // still in progress, or this test would prove nothing
  mayEnd.resolve(null);
  await expect.poll(queuedCount, pollOptions).toBe(0);
});

test('times out an attempt that never ends and retries it', async () => {
  const address = await queueOne();
  const stuck: EmailRenderers = {
    note: async (email) => (email.attempts === 1 ? new Promise(() => {}) : (note['note']?.(email) ?? null)),
  };
  aMailer({ renderers: stuck, timeoutSeconds: 0.3 });
  await expect.poll(() => receivedCounts([address]), pollOptions).toEqual([1]);
});

test('keeps an email of an unknown kind queued until a mailer has its renderer', async () => {
  const address = await queueOne({ kind: 'novel' });
  const older = aMailer();
  await expect.poll(() => attemptsFor(address), pollOptions).toBeGreaterThan(1);
  expect((await emailTo(address))?.isFailed).toBe(false);
  await older.stop();
  aMailer({ renderers: { novel: async () => ({ subject: 'News', text: 'x', html: 'x' }) } });
  await expect.poll(() => receivedCounts([address]), pollOptions).toEqual([1]);
});

test('removes an email from the outbox when its renderer returns null', async () => {
  const address = await queueOne();
  aMailer({ renderers: { note: async () => null } });
  await expect.poll(queuedCount, pollOptions).toBe(0);
  expect(receivedCounts([address])).toEqual([0]);
});

test.each([
  [1, 5],
  [2, 30],
  [3, 120],
  [4, 600],
  [5, 1_800],
  [6, 3_600],
  [71, 3_600],
])('retries after failure %i in about %i s', async (attempts, seconds) => {
  const address = await queueOne();
  await sql`update directory.emails set attempts = ${attempts - 1}`.execute(admin);
  const before = await emailTo(address);
  const mailer = aMailer({ smtpUrl: `smtp://127.0.0.1:${await freePort()}`, retrySeconds: undefined as never });
  await expect
    .poll(() => emailTo(address), pollOptions)
    .toMatchObject({ error: expect.stringContaining('ECONNREFUSED') as string });
  await mailer.stop();
  const email = await emailTo(address);
  expect(email).toMatchObject({ attempts, isFailed: false });
  // It failed between the two queries.
  const [due = 0, earliest = 0, latest = 0] = [email?.dueSeconds, before?.nowSeconds, email?.nowSeconds];
  expect(due).toBeGreaterThan(earliest + seconds * 0.8);
  expect(due).toBeLessThan(latest + seconds * 1.2);
});

test('fails permanently after attempt 72 and logs it', async () => {
  const address = await queueOne();
  await sql`update directory.emails set attempts = 71`.execute(admin);
  aMailer({ smtpUrl: `smtp://127.0.0.1:${await freePort()}` });
  await expect.poll(() => emailTo(address), pollOptions).toMatchObject({ attempts: 72, isFailed: true });
  expect(logged('email failed permanently')).toHaveLength(1);
});

test('wake() triggers a poll immediately', async () => {
  const first = await queueOne();
  const mailer = aMailer({ everyMs: 3_600_000 });
  await expect.poll(() => receivedCounts([first]), pollOptions).toEqual([1]);
  await sleep(100); // idle now: the next poll is an hour away
  const address = await queueOne();
  expect(receivedCounts([address])).toEqual([0]);
  mailer.wake();
  await expect.poll(() => receivedCounts([address]), { ...pollOptions, interval: 5 }).toEqual([1]);
});

test('stop() finishes the emails that are leased', async () => {
  const address = await queueOne();
  const [isBegun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const mailer = aMailer({
    renderers: slow(() => {
      isBegun.resolve();
      return mayEnd.promise;
    }),
  });
  await isBegun.promise;
  const stopped = mailer.stop();
  mayEnd.resolve();
  await stopped;
  expect([await queuedCount(), ...receivedCounts([address])]).toEqual([0, 1]);
});

test('leaves emails queued without an SMTP server and logs it once', async () => {
  const address = await queueOne();
  aMailer({ smtpUrl: undefined }).wake();
  expect(await emailTo(address)).toMatchObject({ attempts: 0, isFailed: false });
  expect(logged('SMTP_URL is not set')).toHaveLength(1);
});
