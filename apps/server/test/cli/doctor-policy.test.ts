import { expect, test } from 'vitest';
import { forbiddenBy, type Use } from '../../../../packages/cli/src/doctor/policy.ts';

// What policies mean, for whoever has no browser to ask.

const page = 'https://shop.example/basket';
const script = 'https://cdn.parley.example/cdn/chatbot-widget.js';
const isAllowed = (policy: string, use: Use = 'script-src', url = script, nonce = '') =>
  forbiddenBy([policy], use, url, page, nonce) === null;

test.each([
  ['', true],
  ["default-src 'none'", false],
  ['script-src', false],
  ['img-src none', true],
  ['script-src *', true],
  ['script-src https:', true],
  ['script-src http:', true],
  ['script-src data: blob:', false],
  ["script-src 'self'", false],
  ['script-src cdn.parley.example', true],
  ['script-src CDN.Parley.Example', true],
  ['script-src http://cdn.parley.example', true],
  ['script-src *.parley.example', true],
  ['script-src *.cdn.parley.example', false],
  ['script-src parley.example', false],
  ['script-src cdn.parley.example:8443', false],
  ['script-src cdn.parley.example:*', true],
  ['script-src cdn.parley.example/cdn/', true],
  ['script-src cdn.parley.example/cdn', false],
  ['script-src cdn.parley.example/cdn/chatbot-widget.js', true],
  ["default-src 'none'; script-src https:", true],
  ["script-src https:; script-src-elem 'none'", false],
  ["script-src https:; script-src 'none'", true],
  ["script-src 'strict-dynamic' https:", false],
  ['SCRIPT-SRC https:', true],
])('%s: %s', (policy, expected) => {
  expect(isAllowed(policy)).toBe(expected);
});

test('a nonce counts when the element carries it', () => {
  const policy = "script-src 'nonce-abc' 'strict-dynamic'";
  expect(isAllowed(policy, 'script-src', script, 'abc')).toBe(true);
  expect(isAllowed(policy, 'script-src', script, 'other')).toBe(false);
  expect(isAllowed("connect-src 'nonce-abc'", 'connect-src', script, 'abc')).toBe(false);
});

test('every policy must allow it, and the one that does not is named in its own words', () => {
  const policies = ['script-src https:', "default-src 'self';  frame-src https:"];
  expect(forbiddenBy(policies, 'script-src', script, page)).toBe("default-src 'self'");
  expect(forbiddenBy(policies, 'frame-src', script, page)).toBeNull();
  expect(forbiddenBy(["child-src 'self'; default-src *"], 'frame-src', script, page)).toBe("child-src 'self'");
});
