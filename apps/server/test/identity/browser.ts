import type { BrowserContextOptions, Page } from 'playwright-core';
import { randomBytes } from 'node:crypto';
import { startMailCatcher } from '../../../../tools/mail/index.ts';
import { clientsAt, startSignInExample } from '../../../../tools/sign-in/index.ts';
import { freePort } from '../../../../tools/stack/index.ts';
import { emailRenderers } from '../../src/features/durable.ts';
import { startMailer } from '../../src/platform/mailer.ts';
import { openApi } from '../harness.ts';
import { sharedChromium } from '../shared-chromium.ts';

/** The service on a real port, an example client, an SMTP server and a browser. */
export async function openSite(overrides: Record<string, string> = {}) {
  const [apiPort, port] = [await freePort(), await freePort()];
  const apiUrl = `http://localhost:${apiPort}`;
  const clientSecret = randomBytes(32).toString('base64url');
  const api = await openApi({
    PUBLIC_URL: apiUrl,
    OIDC_CLIENTS: JSON.stringify(clientsAt(`http://localhost:${port}`, clientSecret)),
    SIGNUP: 'open',
    EGRESS_OPEN_HOSTS: `localhost:${port}`,
    ...overrides,
  });
  await api.app.listen({ host: '127.0.0.1', port: apiPort });
  const mail = await startMailCatcher();
  const { services, log, config } = api.platform;
  const renderers = emailRenderers(services, config);
  const mailer = startMailer({
    services,
    renderers,
    smtpUrl: mail.smtpUrl,
    from: 'Parley <no-reply@parley.example>',
    log,
  });
  const example = await startSignInExample({ port, apiUrl, clientSecret });
  const { browser, closePages } = await sharedChromium();

  return {
    api,
    apiUrl,
    example,
    /** The newest email to a recipient, and the link in it. */
    emailTo: async (recipient: string, subject: RegExp) => {
      mailer.wake();
      const email = await mail.next(({ to, subject: actual }) => to.includes(recipient) && subject.test(actual));
      return { ...email, link: /https?:\/\/\S+/.exec(email.text)?.[0] ?? '' };
    },
    newPage: async (options: BrowserContextOptions = {}): Promise<Page> => {
      const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 360, height: 740 }, ...options });
      const page = await context.newPage();
      page.setDefaultTimeout(30_000);
      return page;
    },
    close: async () => {
      await closePages();
      await mailer.stop();
      await Promise.all([example.stop(), mail.stop()]);
      await api.close();
    },
  };
}
export type Site = Awaited<ReturnType<typeof openSite>>;

/** Adds a virtual authenticator with user verification to the browser. */
export async function withAuthenticator(page: Page) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    credentials: async () => (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
    /** User verification fails from now on. */
    refuse: () => cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false }),
  };
}

export async function fillIn(page: Page, fields: Record<string, string>) {
  for (const [name, value] of Object.entries(fields)) await page.fill(`input[name=${name}]:visible`, value);
  await page.keyboard.press('Enter');
}

export const heading = async (page: Page, text: string | RegExp) =>
  page.getByRole('heading', { level: 1, name: text }).waitFor();
