import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { fillIn, openSite, type Site } from './browser.ts';

// The hosted sign-up page in a browser, with each check that a deployment can configure.

const aNewPerson = () => ({ name: 'Nora North', organisation: 'Northlight', email: `${randomUUID()}@example.com` });

async function openPage(site: Site) {
  const page = await site.newPage();
  const consoleMessages: string[] = [];
  page.on('console', (message) => consoleMessages.push(message.text()));
  const response = await page.goto(`${site.apiUrl}/pools/customer/sign-up`);
  return { page, consoleMessages, policy: response?.headers()['content-security-policy'] ?? '' };
}

describe('with proof of work', () => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite({ SIGN_UP_CHECK: 'proof_of_work' });
  });
  afterAll(() => site.close()); // its mailer would also send the emails of the next site, to its own server

  test('the browser solves the challenge under the page’s CSP, and again after an error', async () => {
    const { page, consoleMessages, policy } = await openPage(site);
    expect(policy).toContain("connect-src 'self'");
    const person = aNewPerson();
    await fillIn(page, { ...person, email: 'nora@mailinator.com' });
    await page.getByText('You can’t use a disposable email address here.').waitFor();
    expect(await page.inputValue('input[name=organisation]')).toBe('Northlight');
    const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().includes('/sign-up'));
    await fillIn(page, person);
    await page.getByText(person.email).waitFor();
    expect(new URLSearchParams((await sent).postData() ?? '').get('proof')).toMatch(
      /^[0-9a-f]{32}\.\d{10}\.\d+\.[0-9a-f]{64}$/,
    );
    expect((await site.emailTo(person.email, /confirm/i)).link).toContain('/confirm?');
    expect(consoleMessages.filter((line) => /policy|refused/i.test(line) && !line.includes('400'))).toEqual([]);
  }, 60_000);

  test('without JavaScript the page explains that it is required, and a 403 keeps the entered values', async () => {
    const page = await site.newPage({ javaScriptEnabled: false });
    await page.goto(`${site.apiUrl}/pools/customer/sign-up`);
    await page.locator('.aside', { hasText: /./ }).waitFor(); // `getByText` skips noscript
    const response = page.waitForResponse((received) => received.request().method() === 'POST');
    await fillIn(page, aNewPerson());
    expect((await response).status()).toBe(403);
    await page.getByText('We couldn’t verify that you’re human.').waitFor();
    expect(await page.inputValue('input[name=name]')).toBe('Nora North');
  }, 60_000);
});

test('a CAPTCHA from another origin runs on the page, and its token is verified before the email is sent', async () => {
  // A fake provider: its script adds a token to the form, which `siteverify` accepts.
  const token = randomUUID();
  const server = createServer((request, response) => {
    if (request.url === '/api.js')
      return void response.setHeader('content-type', 'text/javascript').end(`
        for (const widget of document.querySelectorAll('.h-captcha[data-sitekey=site]')) {
          const input = Object.assign(document.createElement('input'), { type: 'hidden', name: 'h-captcha-response', value: '${token}' });
          widget.append(input);
          widget.dataset.ready = '';
        }`);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const sent = new URLSearchParams(Buffer.concat(chunks).toString());
      response.end(JSON.stringify({ success: sent.get('response') === token && sent.get('secret') === 'hush' }));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const site = await openSite({
    SIGN_UP_CHECK: 'captcha',
    CAPTCHA: JSON.stringify({
      provider: 'hcaptcha',
      siteKey: 'site',
      secret: 'hush',
      siteverifyUrl: `${url}/siteverify`,
      scriptUrl: `${url}/api.js`,
    }),
    EGRESS_OPEN_HOSTS: new URL(url).host,
  });
  onTestFinished(site.close);
  const { page, consoleMessages, policy } = await openPage(site);
  expect(policy).toContain(`script-src ${url};`);
  await page.locator('.h-captcha[data-ready]').waitFor({ state: 'attached' });
  const person = aNewPerson();
  await fillIn(page, person);
  await page.getByText(person.email).waitFor();
  expect((await site.emailTo(person.email, /confirm/i)).link).toContain('/confirm?');
  expect(consoleMessages).toEqual([]);
  const otherPage = await page.goto(`${site.apiUrl}/pools/customer/forgot`);
  expect(otherPage?.headers()['content-security-policy']).not.toContain(url);
}, 60_000);
