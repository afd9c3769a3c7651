import { expect, test } from 'vitest';
import { attributes, html, textOf, trusted, type Content } from './html.ts';

const attack = `"><script>alert('1')</script>&`;
const escaped = '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;';

test('escapes text and attributes', () => {
  expect(textOf(html`<p title="${attack}">${attack}</p>`)).toBe(`<p title="${escaped}">${escaped}</p>`);
  expect(textOf(html`<p>${[attack, html`<b>${attack}</b>`]}</p>`)).toBe(`<p>${escaped}<b>${escaped}</b></p>`);
});

test('inserts HTML unescaped, joins lists and omits empty values', () => {
  const items = ['a', '<b>'].map((item) => html`<b>${item}</b>`);
  expect(textOf(html`<p>${items}</p>`)).toBe('<p><b>a</b><b>&lt;b&gt;</b></p>');
  expect(textOf(html`${null}${undefined}${false}${[]}${0}`)).toBe('0');
});

test('does not accept an Html lookalike from JSON', () => {
  const forged = JSON.parse('{"Symbol(html)":"<b>","brand":"<b>"}') as Content;
  expect(textOf(html`<p>${forged}</p>`)).not.toContain('<b>');
});

test.each([
  'javascript:alert(1)',
  ' JavaScript:alert(1)',
  'java\nscript:alert(1)',
  '\u0001javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'blob:https://a.example/1',
])('replaces the unsafe URL %j', (url) => {
  expect(textOf(html`<a href="${url}">x</a>`)).toBe('<a href="about:blank">x</a>');
  expect(textOf(html`<form action="${url}"></form>`)).toBe('<form action="about:blank"></form>');
  expect(textOf(html`<img alt="" src="${url}" />`)).toBe('<img alt="" src="about:blank" />');
});

test.each(['/sign-in?next=a&b=c', 'https://portal.example/', '?lang=de', '#top', './a:b/c'])(
  'keeps the safe URL %s',
  (url) => {
    expect(textOf(html`<a href="${url}">x</a>`)).toBe(`<a href="${url.replaceAll('&', '&amp;')}">x</a>`);
  },
);

test('throws for an attribute without quotes', () => {
  expect(() => html`<p title=${'a onclick=alert(1)'}></p>`).toThrow('needs quotes');
});

test('attributes are escaped, true has no value, and false, null and undefined are omitted', () => {
  const attributeList = attributes({
    id: 'a',
    value: attack,
    required: true,
    hidden: false,
    title: undefined,
    lang: null,
  });
  expect(textOf(html`<input${attributeList} />`)).toBe(`<input id="a" value="${escaped}" required />`);
  expect(textOf(html`${trusted('<hr />')}`)).toBe('<hr />');
});
