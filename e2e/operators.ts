import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { createOperator } from '../apps/server/src/features/accounts/operators.ts';
import { openKeyring } from '../apps/server/src/platform/crypto.ts';
import { connect } from '../apps/server/src/platform/db.ts';
import { aBrowser, demo, postToPortal, settings, typePassword } from './browser.ts';
import { post } from './people.ts';

type Role = 'platform_admin' | 'support' | 'auditor';
type Operator = Awaited<ReturnType<typeof anOperator>>;

/** A new one for each test: a TOTP code can be used once. */
export async function anOperator(role: Role = 'platform_admin') {
  await using db = connect(settings['DATABASE_URL'] ?? '', { max: 1 });
  const keyring = openKeyring(settings['MASTER_KEYS'] ?? '');
  const email = `${role}-${crypto.randomUUID().slice(0, 8)}@parley.example`;
  const services = { db, keyring, wakeRelay: () => {}, notify: () => {} };
  return createOperator(services, { email, name: `Olga ${role}`, roles: [role] });
}

/** Codes of now and of later half minutes, so that someone can sign in twice in a test. */
export const codeOf = ({ totpSecret }: Pick<Operator, 'totpSecret'>, later = 0) =>
  new TOTP({ secret: Secret.fromBase32(totpSecret) }).generate({ timestamp: Date.now() + later * 30_000 });

/** Without the form: see `signIn`. */
export async function signInAsOperator(page: Page, operator: Operator, adminUrl = demo.adminUrl) {
  const { email, password } = operator;
  await postToPortal(page, `${adminUrl}/api/auth/login`, { email, password }); // returns mfa_required
  const response = await postToPortal(page, `${adminUrl}/api/auth/login/mfa`, { code: codeOf(operator) });
  expect(response.status(), await response.text()).toBe(200);
}

export async function signInAsOperatorByForm(page: Page, operator: Operator, adminUrl = demo.adminUrl) {
  await page.goto(`${adminUrl}/sign-in`);
  await typePassword(page, operator);
  await page.getByLabel('Code').fill(codeOf(operator));
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.waitForURL((url) => url.pathname !== '/sign-in');
}

/** A browser with an operator of this role signed in. */
export async function operatorSignedIn(role: Role = 'platform_admin') {
  const operator = await anOperator(role);
  const opened = await aBrowser();
  await signInAsOperator(opened.page, operator);
  return { ...opened, operator };
}

/** Headers for API calls that a test needs and does not show. */
export async function operatorToken(operator: Operator): Promise<Record<string, string>> {
  const { email, password } = operator;
  const response = await fetch(`${demo.apiUrl}/admin/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  const { error } = (await response.json()) as { error: { details: { path: string; message: string }[] } };
  const mfaToken = error.details.find(({ path }) => path.endsWith('mfaToken'))?.message ?? '';
  const { accessToken } = await post<{ accessToken: string }>('/admin/auth/login/mfa', {
    mfaToken,
    code: codeOf(operator),
  });
  return { authorization: `Bearer ${accessToken}` };
}
