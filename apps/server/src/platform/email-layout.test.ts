import { expect, test } from 'vitest';
import { plainName, renderEmail } from './email-layout.ts';

const hostile = `<img src=x onerror="alert(1)"> & 'friends'`;
const url = `https://parley.example/join?token=abc&next="><script>`;
const email = renderEmail({
  locale: 'de"><b>',
  subject: `Subject ${hostile}`,
  greeting: `Greeting ${hostile}`,
  paragraphs: [`First ${hostile}`, `Second ${hostile}`],
  button: { label: `Label ${hostile}`, url },
  footnotes: [`Note ${hostile}`],
});
const unescape = (html: string) =>
  html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

test('text and HTML contain the same content and link', () => {
  const expected = ['Greeting', 'First', 'Second', 'Label', 'Note'].map((word) => `${word} ${hostile}`);
  const visibleText = unescape(email.html.replace(/<style>.*<\/style>|<title>.*<\/title>|<[^>]*>/gs, '\n'));
  for (const part of [...expected, url, 'Parley']) {
    expect(email.text).toContain(part);
    expect(visibleText).toContain(part);
  }
  const links = [...email.html.matchAll(/href="([^"]*)"/g)].map(([, link]) => unescape(link ?? ''));
  expect(links).toEqual([url, url]);
});

test('escapes all content in the HTML', () => {
  const tags = new Set([...email.html.matchAll(/<\/?(!?\w+)/g)].map(([, tag]) => tag));
  expect([...tags].toSorted((a = '', b = '') => a.localeCompare(b))).toEqual([
    '!doctype',
    'a',
    'body',
    'div',
    'head',
    'html',
    'meta',
    'p',
    'style',
    'title',
  ]);
  expect(email.html).not.toContain(hostile);
  expect(email.html).toContain('<html lang="de&quot;&gt;&lt;b&gt;">');
});

test('the HTML loads nothing when it is opened', () => {
  const content = { locale: 'en', subject: 'S', greeting: 'G', paragraphs: ['P'] };
  expect(renderEmail(content).html).not.toMatch(/https?:|src=|url\(|@import|<link|<script/);
});

test('throws for a link that is not http or https', () => {
  const content = { locale: 'en', subject: 'S', greeting: 'G', paragraphs: [] };
  expect(() => renderEmail({ ...content, button: { label: 'L', url: 'javascript:alert(1)' } })).toThrow(
    'http and https',
  );
});

test.each([
  ['Ada\r\nBcc: everyone@example.com', /^Ada Bcc: *[^\r\n]*$/],
  ['Win now: https://evil.example/x', /^(?!.*:\/\/)(?!.*\w\.\w)/],
  ['\u202eelpmaxe', /^ elpmaxe$/],
  ['Acme\u2028GmbH', /^Acme GmbH$/],
])('plainName keeps a name on one line and prevents auto-linking: %j', (name, plain) => {
  expect(plainName(name)).toMatch(plain);
});

test('plainName leaves an ordinary name unchanged', () => {
  expect(plainName('Zoë O’Neill-Müller & Co')).toBe('Zoë O’Neill-Müller & Co');
});
