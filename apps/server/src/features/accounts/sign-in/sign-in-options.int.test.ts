import { expect, onTestFinished, test } from 'vitest';
import { customers, openApi, operators, send } from '../../../../test/harness.ts';

async function optionsOf(settings: Record<string, string>, url: string) {
  const { app, close } = await openApi(settings);
  onTestFinished(close);
  return send('GET', url, {}, undefined, app);
}
const externalIssuers = {
  OIDC_ISSUERS: JSON.stringify([{ ...customers.config, signInUrl: 'https://login.example' }, operators.config]),
};

test('returns password sign-in, and sign-up if it is open, cacheable for a minute', async () => {
  const open = await optionsOf({ SIGNUP: 'open' }, '/auth/options');
  expect(open.json()).toEqual({ signup: true, signUpCheck: 'none', passwordSignIn: true, signInUrl: null });
  expect(open.headers['cache-control']).toMatch(/^public, max-age=60,/);
  const checked = await optionsOf({ SIGNUP: 'open', SIGN_UP_CHECK: 'proof_of_work' }, '/auth/options');
  expect(checked.json()).toMatchObject({ signup: true, signUpCheck: 'proof_of_work' });
  const closed = await optionsOf({ SIGNUP: 'off' }, '/auth/options');
  expect(closed.json()).toEqual({ signup: false, signUpCheck: 'none', passwordSignIn: true, signInUrl: null });
});

test('returns the URL of an external issuer, and no sign-up without the built-in pool', async () => {
  const both = await optionsOf({ ...externalIssuers, SIGNUP: 'open' }, '/auth/options');
  expect(both.json()).toEqual({
    signup: true,
    signUpCheck: 'none',
    passwordSignIn: true,
    signInUrl: 'https://login.example',
  });
  const externalOnly = await optionsOf({ ...externalIssuers, SIGNUP: 'open', BUILTIN_POOLS: 'admin' }, '/auth/options');
  expect(externalOnly.json()).toEqual({
    signup: false,
    signUpCheck: 'none',
    passwordSignIn: false,
    signInUrl: 'https://login.example',
  });
});

test('never offers sign-up to operators', async () => {
  const builtin = await optionsOf({ ...externalIssuers, SIGNUP: 'open' }, '/admin/auth/options');
  expect(builtin.json()).toEqual({ signup: false, signUpCheck: 'none', passwordSignIn: true, signInUrl: null });
  const external = await optionsOf({ BUILTIN_POOLS: 'customer' }, '/admin/auth/options');
  expect(external.json()).toEqual({ signup: false, signUpCheck: 'none', passwordSignIn: false, signInUrl: null });
});
