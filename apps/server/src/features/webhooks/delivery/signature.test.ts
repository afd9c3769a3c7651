import { randomBytes, randomInt } from 'node:crypto';
import { Stripe } from 'stripe';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { headersOf } from './send.ts';
import { checkSignature, sign, signatureHeader, standardSignature } from './signature.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const older = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const at = 1_767_225_600;
const body = Buffer.from(
  '{"id":"evt_01J9ZK3V7Q8R5T2W4X6Y8Z0A1B","type":"ping","apiVersion":"2026-01-01","createdAt":"2026-01-01T00:00:00.000Z","tenantId":"ten_1","environmentId":"env_1","data":{}}',
);
const now = new Date(at * 1_000);

test('matches the published test vector, for both secrets and for Standard Webhooks', () => {
  expect(signatureHeader([secret, older], at, body)).toBe(
    'v1=466e988d26e210d15de7557353ed884d9532edd06457d61bec433b18d94722ef,v1=4f20c6649121185624ba09287b73528e53a9c91a78ec6c0eb03c650222351664',
  );
  expect(standardSignature([secret], 'evt_01J9ZK3V7Q8R5T2W4X6Y8Z0A1B', at, body)).toBe(
    'v1,YugVJ9/tCtoN4YzHxyY1S9lMuPYpw1NMUVJZSR5OFyk=',
  );
});

test('requests verify with `standardwebhooks` and with Stripe’s verifier, using either secret', () => {
  const seconds = Math.floor(Date.now() / 1_000);
  const target = { url: '', headers: {}, secrets: [secret, older], tenantId: 'ten_1', environmentId: 'env_1' };
  const payload = { eventId: 'evt_1', eventType: 'ping', environmentId: null, body };
  const headers = headersOf(target, payload, 1, seconds);
  const stripe = new Stripe('sk_test_1');
  for (const candidate of [secret, older]) {
    expect(() => new Webhook(candidate).verify(body.toString(), headers)).not.toThrow();
    const signature = `t=${headers['x-service-timestamp']},${headers['x-service-signature']}`;
    expect(() => stripe.webhooks.constructEvent(body, signature, candidate)).not.toThrow();
  }
  expect(() => new Webhook(`whsec_${randomBytes(32).toString('base64')}`).verify(body.toString(), headers)).toThrow();
});

type Call = { signature: string; timestamp: string; body: Buffer };
const good = (): Call => ({ signature: signatureHeader([secret], at, body), timestamp: String(at), body });
const tamperings: Record<string, (call: Call, n: number) => Call> = {
  'flipped bit in the body': (call, n) => {
    const bytes = Buffer.from(call.body);
    bytes[n % bytes.length]! ^= 1 << (n % 8);
    return { ...call, body: bytes };
  },
  'truncated body': (call, n) => ({ ...call, body: call.body.subarray(0, n % call.body.length) }),
  'extra bytes after the body': (call) => ({ ...call, body: Buffer.concat([call.body, randomBytes(1)]) }),
  'reordered fields': (call, n) => {
    const entries = Object.entries(JSON.parse(call.body.toString()) as object);
    const start = 1 + (n % (entries.length - 1));
    const reordered = [...entries.slice(start), ...entries.slice(0, start)];
    return { ...call, body: Buffer.from(JSON.stringify(Object.fromEntries(reordered))) };
  },
  'changed digit in the signature': (call, n) => {
    const index = 3 + (n % 64);
    const digit = call.signature[index] === 'a' ? 'b' : 'a';
    return { ...call, signature: call.signature.slice(0, index) + digit + call.signature.slice(index + 1) };
  },
  'truncated signature': (call, n) => ({ ...call, signature: call.signature.slice(0, n % 67) }),
  'uppercase signature': (call) => ({ ...call, signature: `v1=${call.signature.slice(3).toUpperCase()}` }),
  'unknown scheme': (call, n) => ({ ...call, signature: call.signature.replace('v1', `v${2 + (n % 8)}`) }),
  'too old': (call, n) => signedAt(call, at - 301 - n * 60),
  'from the future': (call, n) => signedAt(call, at + 301 + n * 60),
  'timestamp differs from the signed one': (call, n) => ({ ...call, timestamp: String(at + 1 + (n % 299)) }),
  'malformed timestamp': (call, n) => ({
    ...call,
    timestamp: ['', ' ', '0', '-1', `${at}.0`, ` ${at}`, `${at} `, `0${at}`, 'NaN', '1e9', `+${at}`][n % 11] ?? '',
  }),
  'signed with another secret': (call) => ({
    ...call,
    signature: `v1=${sign(`whsec_${randomBytes(32).toString('base64')}`, at, call.body)}`,
  }),
  'signed without the timestamp': (call) => ({ ...call, signature: `v1=${sign(secret, 0, call.body)}` }),
  'five signatures': (call) => ({ ...call, signature: Array(5).fill(call.signature).join(',') }),
  'whitespace in the signature': (call, n) => ({
    ...call,
    signature: call.signature.replace('=', ['= ', ' =', '=\t'][n % 3] ?? ''),
  }),
};
const signedAt = (call: Call, when: number) => ({
  ...call,
  timestamp: String(when),
  signature: signatureHeader([secret], when, call.body),
});

test('rejects 640 requests that are tampered with or out of time, and accepts 640 valid ones', () => {
  const accepted: string[] = [];
  const each = 40;
  for (const [name, tamper] of Object.entries(tamperings)) {
    for (let n = 0; n < each; n++) {
      const call = tamper(good(), n);
      if (checkSignature([secret], call, call.body, now) === null) accepted.push(`${name} ${n}`);
    }
  }
  expect(Object.keys(tamperings).length * each).toBe(640);
  expect(accepted).toEqual([]);
  for (let n = 0; n < 640; n++) {
    const bytes = randomBytes(randomInt(0, 3_000));
    const when = at + randomInt(-299, 300);
    const secrets = [[secret], [secret, older], [older, secret]][n % 3] ?? [];
    const call = { signature: signatureHeader(secrets, when, bytes), timestamp: String(when) };
    expect(checkSignature(n % 2 ? [secret] : [older, secret], call, bytes, now)).toBeNull();
  }
});
