import { expect, test } from 'vitest';
import { attributes, html, textOf, trusted, type Content } from './html.ts';

const attack = `"><script>alert('1')</script>&`;
const escaped = '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;';

test('words in text and in attributes stay words', () => {
  expect(textOf(html`<p title="${attack}">${attack}</p>`)).toBe(`<p title="${escaped}">${escaped}</p>`);
  expect(textOf(html`<p>${[attack, html`<b>${attack}</b>`]}</p>`)).toBe(`<p>${escaped}<b>${escaped}</b></p>`);
});

test('HTML is put in as it is, lists are joined, nothing comes of nothing', () => {
  const items = ['a', '<b>'].map((item) => html`<b>${item}</b>`);
  expect(textOf(html`<p>${items}</p>`)).toBe('<p><b>a</b><b>&lt;b&gt;</b></p>');
  expect(textOf(html`${null}${undefined}${false}${[]}${0}`)).toBe('0');
});

test('what looks like HTML in JSON is not taken for it', () => {
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
])('a URL that leads to no page is left out: %j', (url) => {
  expect(textOf(html`<a href="${url}">x</a>`)).toBe('<a href="about:blank">x</a>');
  expect(textOf(html`<form action="${url}"></form>`)).toBe('<form action="about:blank"></form>');
  expect(textOf(html`<img alt="" src="${url}" />`)).toBe('<img alt="" src="about:blank" />');
});

test.each(['/sign-in?next=a&b=c', 'https://portal.example/', '?lang=de', '#top', './a:b/c'])(
  'a URL of a page stays: %s',
  (url) => {
    expect(textOf(html`<a href="${url}">x</a>`)).toBe(`<a href="${url.replaceAll('&', '&amp;')}">x</a>`);
  },
);

test('an attribute without quotes is refused', () => {
  expect(() => html`<p title=${'a onclick=alert(1)'}></p>`).toThrow('needs quotes');
});

test('attributes: escaped, true alone, the rest left out', () => {
  const some = attributes({ id: 'a', value: attack, required: true, hidden: false, title: undefined, lang: null });
  expect(textOf(html`<input${some} />`)).toBe(`<input id="a" value="${escaped}" required />`);
  expect(textOf(html`${trusted('<hr />')}`)).toBe('<hr />');
});
