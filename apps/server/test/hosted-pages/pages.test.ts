import { expect, test } from 'vitest';
import { textOf, trusted } from '../../src/features/hosted-pages/html/html.ts';
import {
  describeProblem,
  invitationPage,
  languageLinks,
  messagePage,
  renderPage,
  twoFactorPage,
  signInPage,
  textsOf,
} from './every-page.ts';
import { samples } from './page-samples.ts';
import { passkeyScript } from '../../src/features/hosted-pages/html/passkey-script.ts';
import { proofScript } from '../../src/features/hosted-pages/html/proof-script.ts';
import { style } from '../../src/features/hosted-pages/html/style.ts';

const locales = languageLinks(() => '').map(({ locale }) => locale);
const en = textsOf('en');
const page = {
  pool: 'customer',
  locale: 'en',
  title: 'Sign in',
  body: trusted(''),
  hasScript: false,
  languageLinks: [],
  formOrigins: [],
} as const;

test.each(locales)('%s: every error explains what happened and what to do', (locale) => {
  const t = textsOf(locale);
  for (const reason of Object.keys(t.errors)) {
    for (const details of [{}, { retryAfterSeconds: 90, field: 'email' as const }]) {
      const { what, next } = describeProblem(t, { reason, ...details }, 12);
      expect(what, reason).toMatch(/^\S.+[.!?]$/);
      expect(next, reason).toMatch(/^\S.+[.!?]$/);
      expect(what + next, reason).not.toMatch(/undefined|null|\$\{/);
    }
  }
});

test('shows an unknown reason as an unexpected error, also if it is a property of Object.prototype', () => {
  const unexpected = describeProblem(en, { reason: 'unexpected' });
  expect(describeProblem(en, { reason: 'teapot' })).toEqual(unexpected);
  expect(describeProblem(en, { reason: 'constructor' })).toEqual(unexpected);
});

test.each([
  [0, '1 second', '1 Sekunde'],
  [45, '45 seconds', '45 Sekunden'],
  [60, '60 seconds', '60 Sekunden'],
  [61, '2 minutes', '2 Minuten'],
  [3_600, '60 minutes', '60 Minuten'],
  [3_601, '2 hours', '2 Stunden'],
])('rounds a wait of %i seconds up: %s', (retryAfterSeconds, english, german) => {
  const error = { reason: 'too_many_requests', retryAfterSeconds };
  expect(describeProblem(en, error).next).toContain(` ${english}.`);
  expect(describeProblem(textsOf('de'), error).next).toContain(` ${german} erneut.`);
});

test('escapes user input', () => {
  const attack = '"><img src=x onerror=alert(1)>';
  const bodies = [
    signInPage(en, {
      action: attack,
      email: attack,
      clientName: attack,
      forgotUrl: 'javascript:alert(1)',
      passkey: { action: attack, options: attack },
      error: { reason: attack },
    }),
    invitationPage(en, {
      action: '/',
      token: attack,
      organisation: attack,
      email: attack,
      needsAccount: true,
      isDone: false,
      minLength: 12,
    }),
    messagePage(en, { heading: attack, text: attack, link: { label: attack, url: attack } }),
  ];
  for (const { title, body } of bodies) {
    const { html } = renderPage({ ...page, title, body });
    expect(html).not.toContain('<img');
    expect(html).not.toContain('javascript:');
  }
});

test('a page has at most one element with autofocus', () => {
  for (const [name, sample] of Object.entries(samples)) {
    for (const error of [undefined, sample.error]) {
      const found = textOf(sample.page(en, error).body).match(/ autofocus\b/g)?.length ?? 0;
      expect(found, name).toBeLessThanOrEqual(1);
    }
  }
});

test('shows a wrong recovery code at its own field, which is open', () => {
  const view = { action: '/', methods: ['totp', 'recovery_code'], restartUrl: '/' } as const;
  const body = textOf(
    twoFactorPage(en, { ...view, usedMethod: 'recovery_code', error: { reason: 'invalid_code' } }).body,
  );
  expect(body).toMatch(/<details open>/);
  expect(body).toMatch(/id="recovery-code"[^>]* aria-invalid="true"/);
  expect(body).not.toMatch(/id="code"[^>]* aria-invalid/);
});

test('the title contains the pool', () => {
  expect(renderPage(page).html).toContain('<title>Sign in – Parley</title>');
  expect(renderPage({ ...page, pool: 'admin' }).html).toContain('<title>Sign in – Parley Admin</title>');
});

test('sends and allows the passkey script only on pages that need it', () => {
  const withoutScript = renderPage(page);
  expect(withoutScript.html).not.toContain('<script');
  expect(withoutScript.headers['content-security-policy']).not.toContain('script-src');
  const withScript = renderPage({ ...page, hasScript: true });
  expect(withScript.html).toContain(passkeyScript);
  expect(withScript.headers['content-security-policy']).toMatch(/script-src 'sha256-[\w+/]{43}='/);
});

test('allows the proof-of-work script by its hash, with requests to our own origin only', () => {
  const { html, headers } = renderPage({ ...page, check: 'proof_of_work' });
  expect(html).toContain(proofScript);
  expect(html).not.toContain(passkeyScript);
  expect(headers['content-security-policy']).toMatch(/; script-src 'sha256-[\w+/]{43}='; connect-src 'self'; img-src/);
  expect(headers['content-security-policy']).not.toMatch(/frame-src|https:/);
});

test('loads and allows the CAPTCHA script only if one is configured', () => {
  const check = {
    scriptUrl: 'https://js.captcha.example/api.js',
    origins: ['https://js.captcha.example', 'https://*.captcha.example'],
  };
  const { html, headers } = renderPage({ ...page, check });
  const origins = 'https://js.captcha.example https://*.captcha.example';
  expect(html).toContain('<script src="https://js.captcha.example/api.js" async defer></script>');
  expect(headers['content-security-policy']).toContain(
    `; script-src ${origins}; connect-src ${origins}; frame-src ${origins}; img-src`,
  );
  expect(renderPage(page).headers['content-security-policy']).not.toContain('captcha');
  for (const origin of [
    'https://*',
    '*',
    'https://a.example;sandbox',
    'https://*.a.example;sandbox',
    "'unsafe-inline'",
  ])
    expect(() => renderPage({ ...page, check: { ...check, origins: [origin] } }), origin).toThrow('Not an origin');
});

test('the security headers allow only what is needed', () => {
  const { headers } = renderPage({
    ...page,
    formOrigins: ['https://portal.example/callback?a=1', 'http://localhost:5173'],
  });
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/]{43}='; /);
  expect(headers['content-security-policy']).toContain(
    "; img-src data:; form-action 'self' https://portal.example http://localhost:5173; base-uri 'none'; frame-ancestors 'none'",
  );
  expect(headers['content-security-policy']).not.toMatch(/unsafe|\*/);
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-language': 'en',
    'cache-control': 'no-store',
    'referrer-policy': 'same-origin',
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': 'same-origin',
  });
  expect(headers['permissions-policy']?.match(/[\w-]+=\((?!\))[^)]*\)/g)).toEqual([
    'publickey-credentials-get=(self)',
    'publickey-credentials-create=(self)',
  ]);
});

test.each([
  '*',
  "'self'",
  'https://a.example;sandbox',
  'https://*.example',
  'javascript:alert(1)',
  'com.app:/x',
  'ftp://a.example',
  '',
])('throws for the invalid form origin %j', (origin) => {
  expect(() => renderPage({ ...page, formOrigins: [origin] })).toThrow('Not an origin');
});

test('field borders, focus rings and icons have a contrast of at least 3:1 in light and dark mode', () => {
  const [light = '', dark = ''] = style.split('prefers-color-scheme: dark');
  for (const [scheme, css] of Object.entries({ light, dark })) {
    const colour = (name: string) => new RegExp(`--${name}: (#[0-9A-F]{3,6})`).exec(css)?.[1] ?? '';
    for (const name of ['edge', 'primary', 'danger', 'success'])
      for (const background of ['surface', 'page'])
        expect(
          contrast(colour(name), colour(background)),
          `${scheme}: ${name} on ${background}`,
        ).toBeGreaterThanOrEqual(3);
    expect(contrast(colour('danger'), colour('danger-back')), scheme).toBeGreaterThanOrEqual(3);
    expect(contrast(colour('warning'), colour('warning-back')), scheme).toBeGreaterThanOrEqual(3);
  }
});

function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const digits = colour.length === 4 ? colour.replace(/[^#]/g, '$&$&') : colour;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const value = Number.parseInt(digits.slice(start, start + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
