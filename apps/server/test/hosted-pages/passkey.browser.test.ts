import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
  type WebAuthnCredential,
} from '@simplewebauthn/server';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { enrolPage, qrCode, renderPage, signInPage, textsOf } from './every-page.ts';
import { sharedChromium } from '../shared-chromium.ts';

vi.setConfig({ testTimeout: 60_000 }); // starting a browser is slow on a busy machine

const t = textsOf('en');
const rpID = 'localhost';
const secret = 'JBSWY3DPEHPK3PXP';
let options = { create: '{}', get: '{}' };
let submitted: URLSearchParams[] = [];

async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'POST') {
    submitted.push(new URLSearchParams(await text(request)));
    response.end('sent');
    return;
  }
  const passkey = (kind: 'create' | 'get') => ({ action: '/send', options: options[kind] });
  const content =
    request.url === '/enrol'
      ? enrolPage(t, { action: '/send', secret, qrSvg: qrCode(secret), passkey: passkey('create'), isRequired: true })
      : signInPage(t, { action: '/send', email: '', passkey: passkey('get') });
  const page = renderPage({ ...content, pool: 'customer', locale: 'en', languageLinks: [], formOrigins: [] });
  response.writeHead(200, page.headers).end(page.html);
}

const server = createServer((request, response) => void handleRequest(request, response));
let browser: Browser;
let closePages: () => Promise<unknown>;
let origin: string;

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, 'localhost', done));
  origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  ({ browser, closePages } = await sharedChromium());
});

afterEach(async () => {
  submitted = [];
  await closePages();
});

afterAll(() => void server.close());

/** Adds a virtual authenticator whose user verification always succeeds, or always fails. */
async function addKey(page: Page, isVerified = true): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: isVerified,
      automaticPresenceSimulation: true,
    },
  });
}

const register = (exclude: string[] = []) =>
  generateRegistrationOptions({
    rpName: 'Parley',
    rpID,
    userName: 'anna@example.com',
    excludeCredentials: exclude.map((id) => ({ id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });

const submittedCredential = <T>(): T => JSON.parse(submitted.at(-1)?.get('credential') ?? '') as T;

test('creates a passkey and signs in with it, both verified by the server library', async () => {
  const page = await browser.newPage();
  await addKey(page);

  const creation = await register(['AAEC-_8']);
  options = { ...options, create: JSON.stringify(creation) };
  await page.goto(`${origin}/enrol`);
  await page.getByRole('button', { name: t.enrol.passkeyButton }).click();
  await page.getByText('sent').waitFor();
  const registered = submittedCredential<RegistrationResponseJSON>();
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: registered,
    expectedChallenge: creation.challenge,
    expectedOrigin: origin,
    expectedRPID: rpID,
  });
  expect(verified).toBe(true);
  expect(registered).toMatchObject({ authenticatorAttachment: 'platform', response: { transports: ['internal'] } });

  const credential = registrationInfo?.credential as WebAuthnCredential;
  for (const allowCredentials of [[], [{ id: credential.id }]]) {
    const request = await generateAuthenticationOptions({ rpID, allowCredentials, userVerification: 'required' });
    options = { ...options, get: JSON.stringify(request) };
    await page.goto(`${origin}/sign-in`);
    await page.getByRole('button', { name: t.signIn.passkey }).click();
    await page.getByText('sent').waitFor();
    const assertion = submittedCredential<AuthenticationResponseJSON>();
    const result = await verifyAuthenticationResponse({
      response: assertion,
      expectedChallenge: request.challenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      credential,
    });
    expect(result.verified).toBe(true);
    expect(assertion.response.userHandle).toBe(creation.user.id);
  }
});

test('shows an error next to the button, which can be used again', async () => {
  const page = await browser.newPage();
  await addKey(page, false);
  const request = await generateAuthenticationOptions({ rpID, userVerification: 'required', timeout: 500 });
  options = { ...options, get: JSON.stringify(request) };
  await page.goto(`${origin}/sign-in`);
  const button = page.getByRole('button', { name: t.signIn.passkey });
  await button.click();
  await page.getByRole('alert').getByText(t.passkey.failed).waitFor();
  expect(await button.getAttribute('aria-busy')).toBe('false');
  expect(submitted).toEqual([]);
});

test('shows a busy button while the browser prompts, and prompts only once', async () => {
  const page = await browser.newPage();
  await page.addInitScript(
    'window.promptCount = 0; navigator.credentials.get = () => new Promise((_, refuse) => { window.promptCount++; window.refuse = refuse; })',
  );
  options = { ...options, get: JSON.stringify(await generateAuthenticationOptions({ rpID })) };
  await page.goto(`${origin}/sign-in`);
  await page.getByRole('button', { name: t.signIn.passkey }).click();
  const busy = page.getByRole('button', { name: t.passkey.busy });
  await busy.click();
  expect(await busy.getAttribute('aria-busy')).toBe('true');
  expect(await page.evaluate('promptCount')).toBe(1);
  await page.evaluate('refuse(new Error())');
  await page.getByRole('alert').getByText(t.passkey.failed).waitFor();
  await page.getByRole('button', { name: t.signIn.passkey }).waitFor();
});

test('explains that passkeys are not supported, and hides the button', async () => {
  const page = await browser.newPage();
  await page.addInitScript('delete window.PublicKeyCredential');
  await page.goto(`${origin}/sign-in`);
  await page.getByText(`${t.passkey.notSupported} ${t.passkey.usePassword}`).waitFor();
  expect(await page.getByRole('button', { name: t.signIn.passkey }).count()).toBe(0);
});

test('without JavaScript the page shows an alternative, and the password form works', async () => {
  const page = await browser.newPage({ javaScriptEnabled: false });
  await page.goto(`${origin}/sign-in`);
  expect(await page.locator('noscript p').innerText()).toBe(`${t.passkey.needsScript} ${t.passkey.usePassword}`);
  expect(await page.getByRole('button', { name: t.signIn.passkey }).count()).toBe(0);
  await page.getByLabel(t.fields.email).fill('anna@example.com');
  await page.getByLabel(t.fields.password).fill('secret');
  await page.getByRole('button', { name: t.signIn.button }).click();
  await page.getByText('sent').waitFor();
  expect(submitted[0]?.toString()).toBe('email=anna%40example.com&password=secret');
});
