import { expect, onTestFinished, test } from 'vitest';
import { customers, openApi, operators, send } from '../../../../test/harness.ts';

async function optionsOf(settings: Record<string, string>, url: string) {
  const { app, close } = await openApi(settings);
  onTestFinished(close);
  return send('GET', url, {}, undefined, app);
}
const elsewhere = {
  OIDC_ISSUERS: JSON.stringify([{ ...customers.config, signInUrl: 'https://login.example' }, operators.config]),
};

test('200: with a password, and sign-up where it is open; may be kept for a minute', async () => {
  const open = await optionsOf({ SIGNUP: 'open' }, '/auth/options');
  expect(open.json()).toEqual({ signup: true, signUpCheck: 'none', passwordSignIn: true, signInUrl: null });
  expect(open.headers['cache-control']).toMatch(/^public, max-age=60,/);
  const checked = await optionsOf({ SIGNUP: 'open', SIGN_UP_CHECK: 'proof_of_work' }, '/auth/options');
  expect(checked.json()).toMatchObject({ signup: true, signUpCheck: 'proof_of_work' });
  const closed = await optionsOf({ SIGNUP: 'off' }, '/auth/options');
  expect(closed.json()).toEqual({ signup: false, signUpCheck: 'none', passwordSignIn: true, signInUrl: null });
});

test('200: where another issuer is, also besides our own accounts, and no sign-up without those', async () => {
  const besides = await optionsOf({ ...elsewhere, SIGNUP: 'open' }, '/auth/options');
  expect(besides.json()).toEqual({
    signup: true,
    signUpCheck: 'none',
    passwordSignIn: true,
    signInUrl: 'https://login.example',
  });
  const instead = await optionsOf({ ...elsewhere, SIGNUP: 'open', BUILTIN_POOLS: 'admin' }, '/auth/options');
  expect(instead.json()).toEqual({
    signup: false,
    signUpCheck: 'none',
    passwordSignIn: false,
    signInUrl: 'https://login.example',
  });
});

test('200: operators are made by operators, whatever is open to customers', async () => {
  const here = await optionsOf({ ...elsewhere, SIGNUP: 'open' }, '/admin/auth/options');
  expect(here.json()).toEqual({ signup: false, signUpCheck: 'none', passwordSignIn: true, signInUrl: null });
  const away = await optionsOf({ BUILTIN_POOLS: 'customer' }, '/admin/auth/options');
  expect(away.json()).toEqual({ signup: false, signUpCheck: 'none', passwordSignIn: false, signInUrl: null });
});
