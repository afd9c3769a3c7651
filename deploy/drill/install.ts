import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOTP, URI } from 'otpauth';
import type { Browser, Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import { openSession, type Session } from './documented.ts';
import { adminUrl, apiUrl, openBrowser, portalUrl, trust, type Outside } from './outside.ts';
import { dir, docker, domain, shell } from './machine.ts';
import type { aStopwatch } from './table.ts';

type Stopwatch = ReturnType<typeof aStopwatch>;
const adminEmail = 'ada@example.com';
const owner = { email: 'nora@northlight.example', name: 'Nora North', password: 'a lantern in the harbour' };
const knowledge =
  '# Returns\n\nYou can send anything back within 30 days. We refund the whole price within five working days.\n\n# Delivery\n\nDelivery takes two to four working days.';

/** From the tarball to running containers, with the commands of the quickstart. */
export async function installFromTarball(tarball: string, outside: Outside, watch: Stopwatch) {
  const [, version = ''] = /parley-(.+)-airgapped\.tar\.gz$/.exec(tarball) ?? [];
  const home = join(dir, 'home');
  await shell(`mkdir -p ${home} && cp ${tarball} ${home}`);
  writeFileSync(join(dir, 'smtp-url'), outside.smtpUrl, { mode: 0o600 });
  const session = openSession(home, {
    VERSION: version,
    DOMAIN: domain,
    ADMIN_EMAIL: adminEmail,
    TLS: 'internal',
    SMTP_URL_FILE: join(dir, 'smtp-url'),
  });
  await watch.step('unpack the release and load its images', () => session.run('unpack'));
  trustOutside(session.cwd(), outside.caFile);
  const printed = await watch.step('setup, which starts everything', () => session.run('setup'));
  console.log(printed.replaceAll(/^ {2}(password|two-factor key|recovery codes) .*$|^ {18}\S+$/gm, '  $1 …'));
  await watch.step('the proxy has its certificates', () => trustItsAuthority(session, outside.caFile));
  return { session, version, admin: adminIn(printed) };
}

/** The tenant's backend and mail server have certificates of an authority that the containers do not know. */
function trustOutside(compose: string, caFile: string) {
  const server = {
    volumes: [`${caFile}:/etc/outside-ca.pem:ro`],
    environment: { NODE_EXTRA_CA_CERTS: '/etc/outside-ca.pem' },
  };
  const services = ['api-blue', 'api-green', 'worker-blue', 'worker-green', 'cli'].map((name) => [name, server]);
  writeFileSync(join(compose, 'compose.override.yaml'), JSON.stringify({ services: Object.fromEntries(services) }));
}

async function trustItsAuthority(session: Session, caFile: string) {
  // Created with the first certificate.
  await vi.waitFor(() => session.run('internal-ca'), { timeout: 60_000, interval: 500 });
  const pem = readFileSync(join(session.cwd(), 'parley-root.crt'), 'utf8');
  trust(pem);
  appendFileSync(caFile, `\n${pem}`); // for `check`, which opens its own hosts
  await vi.waitFor(
    async () => {
      const response = await fetch(`${apiUrl}/health/ready`);
      if (!response.ok) throw new Error(`${response.status}`);
    },
    { timeout: 60_000, interval: 200 },
  );
}

/** The first admin, as setup prints it once. */
function adminIn(printed: string) {
  const [, password = ''] = /password\s+(\S+)/.exec(printed) ?? [];
  const [, uri = ''] = /two-factor key\s+(\S+)/.exec(printed) ?? [];
  const totp = URI.parse(uri);
  if (!(totp instanceof TOTP)) throw new Error('setup printed no two-factor key');
  return { email: adminEmail, password, code: () => totp.generate() };
}
type Admin = ReturnType<typeof adminIn>;

/** React handles no input before. */
async function hydrated(page: Page) {
  const isHydrated = "Object.keys(document).some((name) => name.startsWith('__reactContainer$'))";
  const check = () => page.evaluate<boolean>(isHydrated).catch(() => false); // while the page navigates
  await vi.waitUntil(check, { timeout: 60_000, interval: 50 });
}

async function signIn(page: Page, origin: string, { email, password }: { email: string; password: string }) {
  await page.goto(`${origin}/sign-in`);
  await hydrated(page);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** The admin creates a tenant, and its owner accepts the invitation that comes by email. */
async function createTenant(browser: Browser, someone: Admin, outside: Outside) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await signIn(page, adminUrl, someone);
  await page.getByLabel('Code').fill(someone.code());
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL((url) => url.pathname !== '/sign-in');
  await page.goto(`${adminUrl}/tenants`);
  await hydrated(page);
  await page.getByRole('button', { name: 'Create tenant', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Create tenant' });
  await dialog.getByLabel('Organisation name').fill('Northlight');
  await dialog.getByLabel('Owner’s email').fill(owner.email);
  await dialog.getByRole('button', { name: 'Create tenant', exact: true }).click();
  await page.getByText(`${owner.email} was invited`).waitFor();

  await page.goto(await outside.linkFor(owner.email));
  await page.getByLabel('Your name').fill(owner.name);
  await page.getByLabel(/^Password/).fill(owner.password);
  await page.locator('form button').first().click();
  await page
    .getByRole('link', { name: /sign in/i })
    .first()
    .waitFor();
  await context.close();
}

/** The owner makes a bot in the portal's first-run pages, and puts its snippet on their website. */
async function createBot(browser: Browser, outside: Outside) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await signIn(page, portalUrl, owner);
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();
  await page.goto(`${portalUrl}/setup`);
  await hydrated(page);
  await page.getByLabel('Bot name').fill('Nori');
  await page.getByLabel('Your website').fill(outside.siteUrl);
  await page.getByRole('button', { name: 'Create bot' }).click();
  await page.getByRole('heading', { name: 'Add knowledge' }).waitFor();
  await page.getByText('Text', { exact: true }).click();
  await page.getByRole('textbox', { name: /^Text/ }).fill(knowledge);
  await page.getByRole('button', { name: 'Add knowledge' }).click();
  await page.getByText(/\d excerpts?/).waitFor();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByText(/pk_live_\w{10}/).waitFor();
  const snippet = await page
    .getByText(/<script src=/)
    .first()
    .innerText();
  expect(snippet).toMatch(/chatbot-widget\.js"[\s\S]*data-public-key="pk_live_\w+"/);
  outside.paste(snippet);
  await context.close();
}

/** A visitor of the website asks in the widget, and reads the answer. Returns what the browser complained about. */
async function chat(browser: Browser, outside: Outside, screenshot: string) {
  const context = await browser.newContext({ viewport: { width: 900, height: 760 } });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('requestfailed', (request) => {
    const { errorText } = request.failure() ?? {};
    // The widget stops reading a stream once it has the reply.
    if (errorText !== 'net::ERR_ABORTED') problems.push(`${request.url()}: ${errorText}`);
  });
  await page.goto(outside.siteUrl);
  await page.getByRole('button', { name: /Nori/ }).click();
  await page.getByPlaceholder(/Write a message/).fill('How long does delivery take?');
  await page.getByPlaceholder(/Write a message/).press('Enter');
  await page
    .getByText(/two to four working days/)
    .first()
    .waitFor();
  await page.screenshot({ path: screenshot });
  await context.close();
  return problems;
}

/** Everything that people do until a visitor has an answer. */
export async function firstChat(someone: Admin, outside: Outside, watch: Stopwatch, screenshot: string) {
  const browser = await openBrowser();
  try {
    await watch.step('create a tenant in the admin portal', () => createTenant(browser, someone, outside));
    await watch.step('create a bot in the portal', () => createBot(browser, outside));
    const problems = await watch.step('chat in the widget', () => chat(browser, outside, screenshot));
    expect(problems).toEqual([]);
  } finally {
    await browser.close();
  }
}

/** The sizes of the images, by name. */
export async function imageSizes(): Promise<[name: string, bytes: number][]> {
  const names = (await docker('image', 'ls', '--format', '{{.Repository}}:{{.Tag}}')).split('\n').filter(Boolean);
  const sizes = await Promise.all(names.map((name) => docker('image', 'inspect', '--format', '{{.Size}}', name)));
  return names.map((name, at) => [name, Number(sizes[at])]);
}
