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

// Names and other text that people choose, in every email and on every page that shows them. A page is compared with
// the same page about somebody harmless: it has the same elements, with the same attributes, and the same links.

const emailOf = (words: ReturnType<EmailTexts['reset']>) => {
  const { button, ...rest } = words;
  const url = 'https://parley.example/reset?token=x';
  return renderEmail({ locale: 'en', ...rest, ...(button && { button: { label: button, url } }) });
};

type Show = (text: string) => string;

const { invitation, ...toOne } = emailTexts('en');
const emails: Record<string, Show> = {
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
const pages: Record<string, Show> = {
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

const shown = Object.entries({ ...emails, ...pages }).map(([name, show]) => ({
  name,
  show,
  harmless: skeletonOf(show('Somebody')),
}));
/** Reading a page again is dear: a sample has each text in three of them, by turns, and each page meets all kinds. */
const shownFor = (n: number) => (isFull ? shown : [0, 1, 2].map((turn) => shown[(n + turn * 6) % shown.length]!));

/** Elements with the names of their attributes, and where links and forms lead. */
function skeletonOf(html: string): string {
  const { document } = parseHTML(html);
  return [...document.querySelectorAll('*')]
    .map((element) => {
      const names = [...element.attributes].map(({ name }) => name).toSorted((a, b) => a.localeCompare(b));
      const leads = ['href', 'action', 'src'].map((name) => element.getAttribute(name) ?? '');
      const code = /^(?:SCRIPT|STYLE)$/.test(element.tagName) ? element.textContent : '';
      return [element.tagName, ...names, ...leads, code].join(' ');
    })
    .join('\n');
}

const hostile = [...new Set([...payloads, ...hostileUrls])];

test('no element, attribute or link of an email or a page came with a name', () => {
  const through = hostile.flatMap((text, n) =>
    shownFor(n)
      .filter(({ show, harmless }) => skeletonOf(show(text)) !== harmless)
      .map(({ name }) => `${name}: ${text}`),
  );
  expect(through).toEqual([]);
  expect(hostile.length).toBeGreaterThanOrEqual(probes.markup.min);
});

test('no expression in a name is worked out in an email or on a page', () => {
  const through = templates.flatMap((text) =>
    shown.filter(({ show }) => /9801547|9,801,547/.test(show(text))).map(({ name }) => `${name}: ${text}`),
  );
  expect(through).toEqual([]);
  expect(templates.length).toBeGreaterThanOrEqual(probes.templates.min);
});
