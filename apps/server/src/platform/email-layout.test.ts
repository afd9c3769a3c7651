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

test('text and HTML hold the same link and say the same', () => {
  const words = ['Greeting', 'First', 'Second', 'Label', 'Note'].map((word) => `${word} ${hostile}`);
  const seen = unescape(email.html.replace(/<style>.*<\/style>|<title>.*<\/title>|<[^>]*>/gs, '\n'));
  for (const part of [...words, url, 'Parley']) {
    expect(email.text).toContain(part);
    expect(seen).toContain(part);
  }
  const links = [...email.html.matchAll(/href="([^"]*)"/g)].map(([, link]) => unescape(link ?? ''));
  expect(links).toEqual([url, url]);
});

test('everything is escaped: no tag of the email comes from what it tells', () => {
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

test('opening it asks nobody for anything', () => {
  const parts = { locale: 'en', subject: 'S', greeting: 'G', paragraphs: ['P'] };
  expect(renderEmail(parts).html).not.toMatch(/https?:|src=|url\(|@import|<link|<script/);
});

test('a link that is not to a web page is refused', () => {
  const parts = { locale: 'en', subject: 'S', greeting: 'G', paragraphs: [] };
  expect(() => renderEmail({ ...parts, button: { label: 'L', url: 'javascript:alert(1)' } })).toThrow('web pages only');
});

test.each([
  ['Ada\r\nBcc: everyone@example.com', /^Ada Bcc: *[^\r\n]*$/],
  ['Win now: https://evil.example/x', /^(?!.*:\/\/)(?!.*\w\.\w)/],
  ['\u202eelpmaxe', /^ elpmaxe$/],
  ['Acme\u2028GmbH', /^Acme GmbH$/],
])('a name is one line without anything that a mail program makes a link of: %j', (name, plain) => {
  expect(plainName(name)).toMatch(plain);
});

test('a name that is only a name stays as it is', () => {
  expect(plainName('Zoë O’Neill-Müller & Co')).toBe('Zoë O’Neill-Müller & Co');
});
