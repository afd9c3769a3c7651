import { createTransport } from 'nodemailer';
import { afterAll, expect, test } from 'vitest';
import { startMailCatcher } from '../../../tools/mail/index.ts';

const mail = await startMailCatcher({ max: 3 });
const transport = createTransport(mail.smtpUrl);
const send = (to: string, more: { subject?: string; text?: string; html?: string } = {}) =>
  transport.sendMail({ from: 'us@example.com', to, subject: 'S', text: 'T', ...more });
const get = async (path: string) => {
  const response = await fetch(mail.mailUrl + path);
  return {
    status: response.status,
    body: await response.text(),
    policy: response.headers.get('content-security-policy'),
  };
};
afterAll(() => mail.stop());

test('shows a hint when there are no emails', async () => {
  expect((await get('/')).body).toContain('No emails yet');
});

test('shows a hostile email without running it', async () => {
  const hostile = '<script>alert(1)</script>';
  await send('a@example.com', {
    subject: hostile,
    text: `${hostile} see https://example.com/?a=1&b="x". javascript:alert(1)`,
    html: hostile,
  });
  const { id } = await mail.next(({ to }) => to.includes('a@example.com'));
  const [list, view, html] = [await get('/'), await get(`/messages/${id}`), await get(`/messages/${id}/html`)];
  for (const { body } of [list, view]) {
    expect(body).not.toContain('<script');
    expect(body).toContain('&lt;script&gt;');
  }
  expect([...view.body.matchAll(/href="([^"]*)"/g)].map(([, link]) => link)).toEqual([
    '/',
    '/',
    'https://example.com/?a=1&amp;b=',
  ]);
  expect(view.body).toContain(`<iframe sandbox="" src="/messages/${id}/html"`);
  expect(html.body).toContain(hostile);
  expect(html.policy).toBe("default-src 'none'; style-src 'unsafe-inline'");
});

test('keeps only the newest emails, listed newest first', async () => {
  for (const name of ['one', 'two', 'three', 'four']) await send(`${name}@example.com`);
  const listed = JSON.parse((await get('/messages')).body) as { to: string[] }[];
  expect(listed.map(({ to }) => to[0])).toEqual(['four@example.com', 'three@example.com', 'two@example.com']);
  expect((await get('/messages/1')).status).toBe(404);
});

test('returns each email once, and waits for one that has not arrived', async () => {
  const mine = ({ to }: { to: string[] }) => to.includes('me@example.com');
  const awaited = mail.next(mine);
  await send('me@example.com', { subject: 'First' });
  await send('me@example.com', { subject: 'Second' });
  expect([(await awaited).subject, (await mail.next(mine)).subject]).toEqual(['First', 'Second']);
  await expect(mail.next(mine, 50)).rejects.toThrow('me@example.com: Second');
});
