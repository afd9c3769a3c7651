import { text as textOf } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../../tools/stack/index.ts';
import { probes } from '../../../../tools/testing/probes.ts';
import { emailTexts } from '../../src/features/accounts/emails.texts.ts';
import { aTenant } from '../harness.ts';
import { anIp, sendFrom } from '../identity/accounts-fixture.ts';
import { plainName, renderEmail } from '../../src/platform/email-layout.ts';
import { openSmtp } from '../../src/platform/smtp.ts';

// Input that would add a recipient or a header to an email, for every field that a user can fill in: sent to a real SMTP
// server, and to the routes that accept it.

const injected = [
  'a\r\nBcc: evil@evil.example',
  'a\nBcc: evil@evil.example',
  'a\rBcc: evil@evil.example',
  'a\r\n Bcc: evil@evil.example',
  'a\r\n\tBcc: evil@evil.example',
  'a\r\n\r\nBcc: evil@evil.example',
  'a%0d%0aBcc: evil@evil.example',
  'a\\r\\nBcc: evil@evil.example',
  'a\u2028Bcc: evil@evil.example',
  'a\u0085Bcc: evil@evil.example',
  'a\u010d\u010aBcc: evil@evil.example',
  'a\0\r\nBcc: evil@evil.example',
  'a\r\nContent-Type: text/html\r\n\r\n<script>alert(1)</script>',
  'a\r\n.\r\nMAIL FROM:<evil@evil.example>\r\nRCPT TO:<evil@evil.example>\r\nDATA\r\nx',
  'a\r\nReply-To: evil@evil.example',
  '=?utf-8?B?YQ0KQmNjOiBldmlsQGV2aWwuZXhhbXBsZQ==?=',
  '=?utf-8?Q?a=0D=0ABcc:_evil@evil.example?=',
  'a" <evil@evil.example>, "b',
];
const recipients = [
  'a@b.example, evil@evil.example',
  'a@b.example; evil@evil.example',
  'a@b.example evil@evil.example',
  'a@b.example\r\nRCPT TO:<evil@evil.example>',
  'a@b.example>\r\nRCPT TO:<evil@evil.example',
  'a@b.example\nBcc: evil@evil.example',
  'a@b.example%0aBcc:evil@evil.example',
  'evil@evil.example <a@b.example>',
  '"a@b.example>\r\nRCPT TO:<evil"@evil.example',
  'a@b.example, ',
  '@evil.example:a@b.example',
  'a@b.example\0@evil.example',
];

const received: { to: string[]; raw: string }[] = [];
const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  disableReverseLookup: true,
  closeTimeout: 100,
  onData: (stream, { envelope }, done) =>
    void textOf(stream).then((raw) => {
      received.push({ to: envelope.rcptTo.map(({ address }) => address), raw });
      done();
    }),
});
server.on('error', () => {});
let smtp: ReturnType<typeof openSmtp>;
beforeAll(async () => {
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  smtp = openSmtp(`smtp://127.0.0.1:${port}`, 'Parley <no-reply@parley.example>', 1);
});
afterAll(async () => {
  smtp.close();
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

const email = (recipient: string) => ({ id: `let_${received.length}`, kind: 'x', recipient, data: {}, attempts: 1 });
/** Header names, repeated as often as they occur. */
const headersOf = (raw: string) =>
  (raw.split('\r\n\r\n')[0] ?? '').split('\r\n').flatMap((line) => /^([\w-]+):/.exec(line)?.[1]?.toLowerCase() ?? []);

test('sends an email with a hostile name in its subject to one recipient and with no extra header', async () => {
  const write = (name: string) => {
    const { button: _button, ...copy } = emailTexts('en').invitation({
      tenantName: plainName(name),
      inviterName: plainName(name),
      roles: 'owner',
    });
    return renderEmail({ locale: 'en', ...copy });
  };
  await smtp.send(email('a@b.example'), write('Someone'));
  const plain = headersOf(received[0]?.raw ?? '').toSorted((a, b) => a.localeCompare(b));
  const failures: string[] = [];
  for (const name of injected)
    for (const written of [write(name), { subject: name, text: name, html: name }]) {
      received.length = 0;
      await smtp.send(email('a@b.example'), written);
      const [only, ...more] = received;
      const names = headersOf(only?.raw ?? '').toSorted((a, b) => a.localeCompare(b));
      const isSame = names.join() === plain.join() && only?.to.join() === 'a@b.example';
      if (!isSame || more.length > 0) failures.push(`${JSON.stringify(name)}: ${only?.to.join()} ${names.join()}`);
    }
  expect(failures).toEqual([]);
});

test('refuses an email to a hostile address, or sends it to no other recipient', async () => {
  const failures: string[] = [];
  for (const recipient of recipients) {
    received.length = 0;
    const written = { subject: 'x', text: 'x', html: 'x' };
    const sent = await smtp.send(email(recipient), written).catch(() => undefined);
    const isOne =
      received.length <= 1 && received.every(({ to }) => to.length === 1 && to[0]?.startsWith('evil@') !== true);
    if (!isOne || received.some(({ raw }) => headersOf(raw).includes('bcc')))
      failures.push(`${JSON.stringify(recipient)}: ${JSON.stringify(sent)} ${JSON.stringify(received)}`);
  }
  expect(failures).toEqual([]);
});

test('returns 400 for such a name or email at the routes that take one', async () => {
  const tenant = await aTenant();
  const failures: string[] = [];
  for (const email of recipients) {
    const invited = await tenant.post('/invitations', { email, roles: ['developer'] });
    const reset = await sendFrom(anIp(), '/auth/password/forgot', { email, locale: 'en' });
    for (const { statusCode, body } of [invited, reset])
      if (statusCode !== 400) failures.push(`${JSON.stringify(email)}: ${statusCode} ${body}`);
  }
  for (const name of injected.filter((one) => /[\p{Cc}\p{Zl}\p{Zp}]/u.test(one))) {
    const { statusCode } = await tenant.patch('/tenant', { name });
    if (statusCode !== 400) failures.push(`${JSON.stringify(name)}: ${statusCode}`);
  }
  expect(failures).toEqual([]);
  expect(injected.length + recipients.length).toBeGreaterThanOrEqual(probes.emailHeaders.min);
});
