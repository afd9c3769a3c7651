import { createServer, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../../tools/stack/index.ts';
import { anAuthority } from '../../../../tools/receiver/certificates.ts';
import { services } from '../../test/harness.ts';
import {
  aMailer,
  attemptsFor,
  receivedCounts,
  emptyOutbox,
  emailTo,
  logged,
  mail,
  oneEach,
  queue,
  queueOne,
  bodyMarker,
  pollOptions,
  queuedCount,
} from '../../test/emails.ts';
import { queueEmail } from './emails.ts';

afterAll(() => mail.stop());
beforeEach(emptyOutbox);

/** Starts an SMTP server and returns its port. */
async function aServer(options: SMTPServerOptions): Promise<number> {
  const port = await freePort();
  const server = new SMTPServer({ authOptional: true, disableReverseLookup: true, closeTimeout: 100, ...options });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(resolve)));
  return port;
}
const plain = { disabledCommands: ['STARTTLS'], allowInsecureAuth: true };
const smtpError = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode });

test('fails an email permanently when its recipient is rejected, counts it, and still sends the others', async () => {
  const gone = await queueOne({ name: 'gone' });
  const others = await queue(3);
  aMailer();
  await expect.poll(() => receivedCounts(others), pollOptions).toEqual(oneEach(others));
  await expect.poll(() => emailTo(gone), pollOptions).toMatchObject({ attempts: 1, isFailed: true });
  expect((await emailTo(gone))?.error).toContain('Nobody called gone here');
  const gauges = sql`select * from directory.emails_waiting()`;
  await expect
    .poll(async () => (await gauges.execute(services.db)).rows, pollOptions)
    .toEqual([{ oldestSeconds: 0, failed: 1 }]);
  expect(logged(/email failed permanently/)).toHaveLength(1);
  expect(logged(/"error":"SMTP RCPT TO EENVELOPE 550 5.1.1"/)).toHaveLength(1);
});

test('fails an email permanently when its content is rejected', async () => {
  const port = await aServer({
    ...plain,
    onData: (stream, _session, done) => void text(stream).then(() => done(smtpError(554, '5.6.0 Not like this'))),
  });
  const address = await queueOne();
  aMailer({ smtpUrl: `smtp://127.0.0.1:${port}` });
  await expect.poll(() => emailTo(address), pollOptions).toMatchObject({ attempts: 1, isFailed: true });
});

test.each<[string, SMTPServerOptions]>([
  ['535 at sign-in', { onAuth: (_auth, _session, done) => done(smtpError(535, 'Wrong password')) }],
  ['530: authentication required', { onMailFrom: (_from, _session, done) => done(smtpError(530, 'Sign in first')) }],
  ['550 for our sender', { onMailFrom: (_from, _session, done) => done(smtpError(550, 'Not your address')) }],
  ['554 5.7.1: no relaying', { onRcptTo: (_to, _session, done) => done(smtpError(554, '5.7.1 Relay access denied')) }],
  ['451 for the recipient', { onRcptTo: (_to, _session, done) => done(smtpError(451, '4.7.1 Come back later')) }],
])('%s is not caused by the recipient: the email stays queued', async (name, options) => {
  const onAuth: SMTPServerOptions['onAuth'] = (_auth, _session, done) => done(null, { user: 'me' });
  const port = await aServer({ ...plain, onAuth, ...options });
  const address = await queueOne();
  aMailer({ smtpUrl: `smtp://me:secret@127.0.0.1:${port}` });
  await expect.poll(() => attemptsFor(address), pollOptions).toBeGreaterThan(1);
  const email = await emailTo(address);
  expect(email?.isFailed).toBe(false);
  expect(email?.error).toContain(name.slice(0, 3));
});

test('uses the same Message-ID for every attempt', async () => {
  const ids: string[] = [];
  const port = await aServer({
    ...plain,
    onData: (stream, _session, done) =>
      void text(stream).then((raw) => {
        ids.push(/^Message-ID: (.*)$/im.exec(raw)?.[1] ?? '');
        done(ids.length < 3 ? smtpError(451, 'Later') : null);
      }),
  });
  await queue(1);
  aMailer({ smtpUrl: `smtp://127.0.0.1:${port}` });
  await expect.poll(queuedCount, pollOptions).toBe(0);
  expect(ids).toHaveLength(3);
  expect(new Set(ids).size).toBe(1);
  expect(ids[0]).toMatch(/^<ltr_\w{26}@parley\.example>$/);
});

test('opens one connection per attempt when the server closes it before the greeting', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = await queueOne();
  aMailer({ smtpUrl: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, retrySeconds: [60] });
  await expect
    .poll(() => emailTo(address), pollOptions)
    .toMatchObject({ attempts: 1, error: expect.any(String) as string });
  expect(connections).toBe(1);
});

// 0.0.0.0 reaches this machine but does not count as loopback.
test.each([
  ['offers no TLS', plain],
  ['has an untrusted certificate', await (await anAuthority('Nobody')).certify('0.0.0.0')],
])('sends neither email nor password to a remote server that %s', async (_how, options) => {
  let received = 0;
  const reject = (_what: unknown, _session: unknown, done: (error: Error) => void) => {
    received += 1;
    done(smtpError(451, 'No'));
  };
  const port = await aServer({ ...options, onAuth: reject, onMailFrom: reject });
  const address = await queueOne();
  aMailer({ smtpUrl: `smtp://me:secret@0.0.0.0:${port}` });
  await expect.poll(() => attemptsFor(address), pollOptions).toBeGreaterThan(1);
  expect((await emailTo(address))?.error).toMatch(/TLS|certificate/);
  expect(received).toBe(0);
});

test('does not treat a recipient that contains a comma as two', async () => {
  const both = 'one@example.com, two@example.com';
  await services.db.transaction().execute((tx) => queueEmail(tx, 'note', both, {}));
  aMailer();
  await expect.poll(() => emailTo(both), pollOptions).toMatchObject({ error: expect.any(String) as string });
  await sleep(200);
  expect(receivedCounts(['one@example.com', 'two@example.com'])).toEqual([0, 0]);
});

test('does not store or log a link that is part of a render error', async () => {
  const address = await queueOne();
  const error = new Error(`no link for <${address}>: https://parley.example/?${bodyMarker}`);
  aMailer({ renderers: { note: () => Promise.reject(error) } });
  await expect.poll(() => emailTo(address), pollOptions).toMatchObject({ error: `no link for <${address}>: […]` });
});

test('logs neither recipients nor email content', () => {
  expect(logged('').length).toBeGreaterThan(20);
  expect(logged(new RegExp(`example\\.com|${bodyMarker}|secret|called gone`))).toEqual([]);
});
