import { expect, test } from 'vitest';
import { textOf, trusted } from '../../src/features/hosted-pages/html/html.ts';
import {
  describeProblem,
  invitationPage,
  languageLinks,
  messagePage,
  renderPage,
  secondFactorPage,
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

test.each(locales)('%s: every error says what happened and what to do', (locale) => {
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

test('a reason without words is told as an unexpected one, also one that every object has', () => {
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
])('to wait %i seconds is said rounded up: %s', (retryAfterSeconds, english, german) => {
  const error = { reason: 'too_many_requests', retryAfterSeconds };
  expect(describeProblem(en, error).next).toContain(` ${english}.`);
  expect(describeProblem(textsOf('de'), error).next).toContain(` ${german} erneut.`);
});

test('what people and programs write stays words', () => {
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

test('a page has one element that asks for the focus at most', () => {
  for (const [name, sample] of Object.entries(samples)) {
    for (const error of [undefined, sample.error]) {
      const found = textOf(sample.page(en, error).body).match(/ autofocus\b/g)?.length ?? 0;
      expect(found, name).toBeLessThanOrEqual(1);
    }
  }
});

test('a wrong recovery code is told at its own field, which is open', () => {
  const view = { action: '/', methods: ['totp', 'recovery_code'], restartUrl: '/' } as const;
  const body = textOf(
    secondFactorPage(en, { ...view, usedMethod: 'recovery_code', error: { reason: 'invalid_code' } }).body,
  );
  expect(body).toMatch(/<details open>/);
  expect(body).toMatch(/id="recovery-code"[^>]* aria-invalid="true"/);
  expect(body).not.toMatch(/id="code"[^>]* aria-invalid/);
});

test('the title says which pool it is', () => {
  expect(renderPage(page).html).toContain('<title>Sign in – Parley</title>');
  expect(renderPage({ ...page, pool: 'admin' }).html).toContain('<title>Sign in – Parley Admin</title>');
});

test('a script is sent and allowed only where there is one to run', () => {
  const without = renderPage(page);
  expect(without.html).not.toContain('<script');
  expect(without.headers['content-security-policy']).not.toContain('script-src');
  const having = renderPage({ ...page, hasScript: true });
  expect(having.html).toContain(passkeyScript);
  expect(having.headers['content-security-policy']).toMatch(/script-src 'sha256-[\w+/]{43}='/);
});

test('the challenge is solved by a script that is allowed by its hash and may call nobody but us', () => {
  const { html, headers } = renderPage({ ...page, check: 'proof_of_work' });
  expect(html).toContain(proofScript);
  expect(html).not.toContain(passkeyScript);
  expect(headers['content-security-policy']).toMatch(/; script-src 'sha256-[\w+/]{43}='; connect-src 'self'; img-src/);
  expect(headers['content-security-policy']).not.toMatch(/frame-src|https:/);
});

test('the script of a CAPTCHA is loaded and allowed only where one is configured', () => {
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

test('nothing is allowed that is not needed', () => {
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
])('where a form may lead to must be an origin: %j is refused', (origin) => {
  expect(() => renderPage({ ...page, formOrigins: [origin] })).toThrow('Not an origin');
});

test('edges of fields, focus rings and icons stand out, 3 to 1 at least, in light and dark', () => {
  const [light = '', dark = ''] = style.split('prefers-color-scheme: dark');
  for (const [scheme, css] of Object.entries({ light, dark })) {
    const colour = (name: string) => new RegExp(`--${name}: (#[0-9A-F]{3,6})`).exec(css)?.[1] ?? '';
    for (const name of ['edge', 'primary', 'danger', 'success'])
      for (const ground of ['surface', 'page'])
        expect(contrast(colour(name), colour(ground)), `${scheme}: ${name} on ${ground}`).toBeGreaterThanOrEqual(3);
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
