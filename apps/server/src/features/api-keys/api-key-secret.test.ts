import { expect, test } from 'vitest';
import { isWellFormed, newSecret } from './api-key-secret.ts';

test('detects one wrong character at any position', () => {
  const secret = newSecret('secret_server', '0a7');
  expect(isWellFormed(secret)).toBe(true);
  for (let i = 0; i < secret.length; i++) {
    const mistyped = secret.slice(0, i) + (secret[i] === 'p' ? 'q' : 'p') + secret.slice(i + 1);
    expect(isWellFormed(mistyped), mistyped).toBe(false);
  }
});

test('detects two swapped neighbours at any position', () => {
  const secret = newSecret('public_widget', '3zz');
  for (let i = 0; i + 1 < secret.length; i++) {
    if (secret[i] === secret[i + 1]) continue;
    const swapped = secret.slice(0, i) + secret[i + 1] + secret[i] + secret.slice(i + 2);
    expect(isWellFormed(swapped), swapped).toBe(false);
  }
});

test('secrets have 49 characters and are unique', () => {
  const secrets = Array.from({ length: 1_000 }, () => newSecret('secret_server', '000'));
  expect(secrets.every((secret) => secret.length === 49)).toBe(true);
  expect(new Set(secrets).size).toBe(1_000);
});
