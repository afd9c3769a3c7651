import { parseHTML } from 'linkedom';
import { expect, test } from 'vitest';
import { probes } from '../../../../tools/testing/probes.ts';
import { isFull } from '../../../../tools/testing/size.ts';
import { emailTexts, type EmailTexts } from '../../src/features/accounts/emails.texts.ts';
import { plainName, renderEmail } from '../../src/platform/email-layout.ts';
import {
  confirmEmailPage,
  forgotPage,
  invitationPage,
  messagePage,
  renderPage,
  resetPage,
  signInPage,
  signUpPage,
  textsOf,
  type PageContent,
} from '../hosted-pages/every-page.ts';
import { hostileUrls, payloads } from '../widget/xss-payloads.ts';
import { templates } from './injection-corpus.ts';

// User-entered names and messages in every email and on every page that shows them. Each page is compared with the same
// page for a harmless name: it must have the same elements, attributes and links.

const emailOf = (copy: ReturnType<EmailTexts['reset']>) => {
  const { button, ...rest } = copy;
  const url = 'https://parley.example/reset?token=x';
  return renderEmail({ locale: 'en', ...rest, ...(button && { button: { label: button, url } }) });
};

type Render = (text: string) => string;

const { invitation, ...toOne } = emailTexts('en');
const emails: Record<string, Render> = {
  ...Object.fromEntries(
    Object.entries(toOne).map(([kind, write]) => [kind, (text: string) => emailOf(write(plainName(text))).html]),
  ),
  'invitation to join': (text) => {
    const name = plainName(text);
    return emailOf(invitation({ tenantName: name, inviterName: name, roles: 'owner' })).html;
  },
};

const t = textsOf('en');
const page = (parts: PageContent) =>
  renderPage({ ...parts, pool: 'customer', locale: 'en', languageLinks: [], formOrigins: [] }).html;
const form = { action: '/send', minLength: 12, signInUrl: '/sign-in' };
const pages: Record<string, Render> = {
  'sign-in': (text) => page(signInPage(t, { ...form, email: text, clientName: text, error: { reason: text } })),
  forgot: (text) => page(forgotPage(t, { ...form, email: text, isSent: false })),
  'forgot, sent': (text) => page(forgotPage(t, { ...form, email: text, isSent: true })),
  reset: (text) => page(resetPage(t, { ...form, email: text, token: text, isDone: false })),
  'sign-up': (text) =>
    page(signUpPage(t, { ...form, isSent: false, values: { email: text, organisation: text, name: text } })),
  'confirm email': (text) =>
    page(confirmEmailPage(t, { ...form, token: text, organisation: text, email: text, isDone: false })),
  invitation: (text) =>
    page(
      invitationPage(t, { ...form, token: text, organisation: text, email: text, needsAccount: true, isDone: false }),
    ),
  message: (text) => page(messagePage(t, { heading: text, text, link: { label: text, url: '/sign-in' } })),
};

/** An email and a page can have the same name. */
const named = (kind: string, all: Record<string, Render>) =>
  Object.entries(all).map(([name, render]) => [`${kind}: ${name}`, render] as const);
const rendered = [...named('email', emails), ...named('page', pages)].map(([name, render]) => ({
  name,
  render,
  harmless: skeletonOf(render('Someone')),
}));
/** Parsing a page is expensive: a sample renders each text on three pages in turn, and each page gets all kinds. */
const isRenderedOn = (index: number, n: number) =>
  isFull || [0, 1, 2].some((turn) => (n + turn * 6) % rendered.length === index);

/** Elements with the names of their attributes, and the targets of links and forms. */
function skeletonOf(html: string): string {
  const { document } = parseHTML(html);
  return [...document.querySelectorAll('*')]
    .map((element) => {
      const names = [...element.attributes].map(({ name }) => name).toSorted((a, b) => a.localeCompare(b));
      const targets = ['href', 'action', 'src'].map((name) => element.getAttribute(name) ?? '');
      const code = /^(?:SCRIPT|STYLE)$/.test(element.tagName) ? element.textContent : '';
      return [element.tagName, ...names, ...targets, code].join(' ');
    })
    .join('\n');
}

const hostile = [...new Set([...payloads, ...hostileUrls])];

// A test for each: all together take minutes at full size, and would reach the time limit of one test.
test.each(rendered.map((one, index) => ({ ...one, index })))(
  '$name: adds no element, attribute or link from a name',
  ({ index, render, harmless }) => {
    const texts = hostile.filter((_, n) => isRenderedOn(index, n));
    expect(texts.filter((text) => skeletonOf(render(text)) !== harmless)).toEqual([]);
    expect(texts.length).toBeGreaterThan(0);
  },
);

test('has enough texts with markup', () => {
  expect(hostile.length).toBeGreaterThanOrEqual(probes.markup.min);
});

test('does not evaluate expressions in a name, in an email or on a page', () => {
  const failures = templates.flatMap((text) =>
    rendered.filter(({ render }) => /9801547|9,801,547/.test(render(text))).map(({ name }) => `${name}: ${text}`),
  );
  expect(failures).toEqual([]);
  expect(templates.length).toBeGreaterThanOrEqual(probes.templates.min);
});
