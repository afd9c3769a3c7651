import { expect, test } from 'vitest';
import { forbiddenBy, type LoadDirective } from '../../../../packages/cli/src/doctor/policy.ts';

// Evaluation of policies without a browser.

const page = 'https://shop.example/basket';
const script = 'https://cdn.parley.example/cdn/chatbot-widget.js';
const isAllowed = (policy: string, use: LoadDirective = 'script-src', url = script, nonce = '') =>
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

test('accepts a nonce that the element has', () => {
  const policy = "script-src 'nonce-abc' 'strict-dynamic'";
  expect(isAllowed(policy, 'script-src', script, 'abc')).toBe(true);
  expect(isAllowed(policy, 'script-src', script, 'other')).toBe(false);
  expect(isAllowed("connect-src 'nonce-abc'", 'connect-src', script, 'abc')).toBe(false);
});

test('requires every policy to allow it, and returns the directive that does not', () => {
  const policies = ['script-src https:', "default-src 'self';  frame-src https:"];
  expect(forbiddenBy(policies, 'script-src', script, page)).toBe("default-src 'self'");
  expect(forbiddenBy(policies, 'frame-src', script, page)).toBeNull();
  expect(forbiddenBy(["child-src 'self'; default-src *"], 'frame-src', script, page)).toBe("child-src 'self'");
});
