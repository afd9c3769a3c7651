import { createHmac } from 'node:crypto';
import { verifyWebhook, WebhookVerificationError, type VerifyOptions } from '@parley/sdk/webhooks';
import { describe, expect, it } from 'vitest';
import { anEvent, aSecret, signed } from './signed.ts';

const secret = aSecret();
const now = () => Math.floor(Date.now() / 1_000);
const reasonOf = (options: VerifyOptions) =>
  verifyWebhook(options).then(
    () => 'accepted',
    (error: unknown) => (error instanceof WebhookVerificationError ? error.reason : String(error)),
  );
const headersMatching = (headers: Record<string, string>, family: RegExp) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => family.test(name)));

describe('accepts a valid request', () => {
  const { body, headers } = signed(anEvent(), { secrets: [secret] });

  it.each([
    ['text', body],
    ['bytes', new TextEncoder().encode(body)],
    ['a buffer of Node', Buffer.from(body)],
    ['an ArrayBuffer', new TextEncoder().encode(body).buffer],
  ])('with its body as %s', async (_kind, rawBody) => {
    expect(await verifyWebhook({ body: rawBody, headers, secrets: secret })).toEqual(anEvent());
  });

  it('with Headers, or with names in any case', async () => {
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
    expect(await reasonOf({ body, headers: new Headers(headers), secrets: secret })).toBe('accepted');
    expect(await reasonOf({ body, headers: upper, secrets: secret })).toBe('accepted');
  });

  it.each([
    ['X-Service-*', /^x-service-/],
    ['webhook-*', /^webhook-/],
  ])('with %s headers only', async (_name, family) => {
    expect(await reasonOf({ body, headers: headersMatching(headers, family), secrets: secret })).toBe('accepted');
  });

  it('with either secret during a rotation', async () => {
    const [fresh, old] = [aSecret(), secret];
    const both = signed(anEvent(), { secrets: [fresh, old] });
    for (const family of [/^x-service-/, /^webhook-/])
      for (const secrets of [fresh, old, [aSecret(), old], ['', fresh]])
        expect(await reasonOf({ ...both, headers: headersMatching(both.headers, family), secrets })).toBe('accepted');
  });

  it('with non-ASCII characters, and with an additional unknown signature scheme', async () => {
    const call = signed(anEvent({ data: { object: { name: 'Žofie 🚲' } } }), { secrets: [secret] });
    const later = { ...call.headers, 'x-service-signature': `v2=abc,${call.headers['x-service-signature']}` };
    expect(await reasonOf({ ...call, headers: later, secrets: secret })).toBe('accepted');
  });

  it('from the published test vector, with both kinds of headers', async () => {
    const published = {
      body: '{"id":"evt_01J9ZK3V7Q8R5T2W4X6Y8Z0A1B","type":"ping","apiVersion":"2026-01-01","createdAt":"2026-01-01T00:00:00.000Z","tenantId":"ten_1","environmentId":"env_1","data":{}}',
      secrets: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      toleranceSeconds: Infinity,
    };
    const ours = {
      'x-service-timestamp': '1767225600',
      'x-service-signature':
        'v1=466e988d26e210d15de7557353ed884d9532edd06457d61bec433b18d94722ef,v1=4f20c6649121185624ba09287b73528e53a9c91a78ec6c0eb03c650222351664',
    };
    const standard = {
      'webhook-id': 'evt_01J9ZK3V7Q8R5T2W4X6Y8Z0A1B',
      'webhook-timestamp': '1767225600',
      'webhook-signature': 'v1,YugVJ9/tCtoN4YzHxyY1S9lMuPYpw1NMUVJZSR5OFyk=',
    };
    expect(await reasonOf({ ...published, headers: ours })).toBe('accepted');
    expect(await reasonOf({ ...published, headers: standard })).toBe('accepted');
  });
});

describe.each([
  ['X-Service-*', /^x-service-|^idempotency/],
  ['webhook-*', /^webhook-|^idempotency/],
])('rejects invalid requests by %s headers', (_name, family) => {
  const call = signed(anEvent(), { secrets: [secret] });
  const headers = headersMatching(call.headers, family);
  const at = (seconds: number) => {
    const other = signed(anEvent(), { secrets: [secret], at: now() + seconds });
    return { ...other, headers: headersMatching(other.headers, family), secrets: secret };
  };

  it('bad_signature: signed with another secret', async () => {
    expect(await reasonOf({ ...call, headers, secrets: [aSecret(), aSecret()] })).toBe('bad_signature');
  });
  it('bad_signature: one byte of the body changed', async () => {
    const body = Buffer.from(call.body);
    body[10] = (body[10] ?? 0) ^ 1;
    expect(await reasonOf({ body, headers, secrets: secret })).toBe('bad_signature');
  });
  it('bad_signature: one extra byte', async () => {
    expect(await reasonOf({ body: `${call.body} `, headers, secrets: secret })).toBe('bad_signature');
  });
  it('bad_signature: a changed timestamp', async () => {
    const old = at(-3_600);
    const fresh = Object.fromEntries(
      Object.entries(old.headers).map(([name, value]) => [name, name.endsWith('timestamp') ? String(now()) : value]),
    );
    expect(await reasonOf({ ...old, headers: fresh })).toBe('bad_signature');
  });
  it('bad_signature: malformed signatures, or hundreds of them', async () => {
    const withSignature = (value: string) =>
      Object.fromEntries(
        Object.entries(headers).map(([name, current]) => [name, name.endsWith('signature') ? value : current]),
      );
    for (const value of ['nonsense', 'v1=', 'v1,', `v1=${'0'.repeat(64)}`, 'v1=ABC', 'v1,%%%', 'v0=1'])
      expect(await reasonOf({ ...call, headers: withSignature(value), secrets: secret })).toBe('bad_signature');
    const signature = headers['x-service-signature'] ?? headers['webhook-signature'] ?? '';
    const between = signature.startsWith('v1=') ? ',' : ' ';
    const many = Array.from({ length: 200 }, () => 'v1=0').join(between) + between + signature;
    expect(await reasonOf({ ...call, headers: withSignature(many), secrets: secret })).toBe('bad_signature');
  });
  it('stale: more than five minutes old or in the future', async () => {
    expect(await reasonOf(at(-301))).toBe('stale');
    expect(await reasonOf(at(302))).toBe('stale');
    expect(await reasonOf(at(-298))).toBe('accepted');
    expect(await reasonOf(at(298))).toBe('accepted');
    expect(await reasonOf({ ...at(-60), toleranceSeconds: 30 })).toBe('stale');
  });
  it('missing_header: no signature or no timestamp', async () => {
    for (const removed of ['signature', 'timestamp']) {
      const rest = Object.fromEntries(Object.entries(headers).filter(([name]) => !name.endsWith(removed)));
      expect(await reasonOf({ ...call, headers: rest, secrets: secret })).toBe('missing_header');
    }
  });
});

describe('headers must match the signed body', () => {
  const call = signed(anEvent(), { secrets: [secret] });

  it.each([
    'idempotency-key',
    'x-service-tenant-id',
    'x-service-environment-id',
    'x-service-action-id',
    'x-service-event',
    'webhook-id',
  ])('header_mismatch: another %s', async (name) => {
    const headers = { ...call.headers, [name]: 'other' };
    expect(await reasonOf({ ...call, headers, secrets: secret })).toBe('header_mismatch');
  });

  it('accepts an event without environment, sent with the environment of its endpoint', async () => {
    const none = signed(anEvent({ environmentId: null }), { secrets: [secret] });
    expect(none.headers['x-service-environment-id']).toBe('env_of_endpoint');
    expect(await reasonOf({ ...none, secrets: secret })).toBe('accepted');
  });
});

describe('order of checks', () => {
  it('does not report problems of the body before the signature has matched', async () => {
    const call = signed(anEvent(), { secrets: [secret] });
    expect(await reasonOf({ ...call, body: 'not JSON', secrets: secret })).toBe('bad_signature');
    expect(await reasonOf({ ...call, body: '', secrets: secret })).toBe('bad_signature');
  });

  it.each(['not JSON', 'null', '[]', '{"id":1}', '"text"'])('bad_body: %s with a valid signature', async (body) => {
    const timestamp = String(now());
    const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
    const headers = { 'x-service-timestamp': timestamp, 'x-service-signature': `v1=${signature}` };
    expect(await reasonOf({ body, headers, secrets: secret })).toBe('bad_body');
  });

  it('bad_signature: part of the body moved into the timestamp', async () => {
    const body = `1.{"id":"evt_1","type":"ping","tenantId":"ten_1"}`;
    const stamp = String(now());
    const signature = createHmac('sha256', secret).update(`${stamp}.${body}`).digest('hex');
    const headers = { 'x-service-timestamp': `${stamp}.1`, 'x-service-signature': `v1=${signature}` };
    expect(await reasonOf({ body: body.slice(2), headers, secrets: secret })).toBe('bad_signature');
  });

  it('throws TypeError without a secret or with a parsed body', async () => {
    const call = signed(anEvent(), { secrets: [secret] });
    await expect(verifyWebhook({ ...call, secrets: [] })).rejects.toThrow(TypeError);
    await expect(verifyWebhook({ ...call, secrets: '' })).rejects.toThrow('no secret given');
    await expect(verifyWebhook({ ...call, body: JSON.parse(call.body) as string, secrets: secret })).rejects.toThrow(
      'pass the raw body',
    );
  });
});
