import { createHash } from 'node:crypto';
import { actionHandler, ActionRefused, type Actions } from '@parley/sdk/actions';
import type { ReceiverOptions } from '@parley/sdk/receiver';
import type { WebhookEvent } from '@parley/sdk/webhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { express } from '@parley/sdk/express';
import expressServer from 'express';
import { asReceiver, inFastify, listen, servers, type Running } from './servers.ts';
import { anActionCall, anEvent, aSecret, signed } from './signed.ts';

const [secret, old] = [aSecret(), aSecret()];

const post = (url: string, { body, headers }: { body: string; headers: Record<string, string> }) =>
  fetch(url, { method: 'POST', body, headers });

describe.each(Object.entries(servers))('%s', (_name, start) => {
  const events: WebhookEvent[] = [];
  const errors: unknown[] = [];
  const actions: Actions = actionHandler({
    my_order: ({ input, actor }) => ({ output: { ...input, of: actor.externalUserId }, display: 'On its way.' }),
    cancel: () => {
      throw new ActionRefused('shipped', 'It has left', { display: 'It is on its way already.' });
    },
  });
  const options: ReceiverOptions = {
    secrets: [secret, old],
    onEvent: (event) => {
      if (event.type === 'ping') throw new Error('handler failed');
      events.push(event);
    },
    actions,
    onError: (error) => errors.push(error),
  };
  let server: Running;
  beforeAll(async () => {
    server = await start(options);
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    events.length = errors.length = 0;
  });

  it('returns 200 for an event, with the fingerprint of the secret it was verified with', async () => {
    for (const used of [secret, old]) {
      const event = anEvent({ data: { object: { name: 'Žofie', price: 1.5, none: null, '10': 'x', '9': [] } } });
      const response = await post(server.url, signed(event, { secrets: [used] }));
      expect(response.status).toBe(200);
      const fingerprint = createHash('sha256').update(used).digest('hex').slice(0, 8);
      expect(response.headers.get('x-service-verified-key')).toBe(fingerprint);
      expect(events.pop()).toEqual(event);
    }
  });

  it('returns 401 for forged, stale or mismatched requests without calling a handler', async () => {
    const stale = signed(anEvent(), { secrets: [secret], at: Math.floor(Date.now() / 1_000) - 360 });
    const call = signed(anEvent(), { secrets: [secret] });
    const bad = [
      signed(anEvent(), { secrets: [aSecret()] }),
      stale,
      { ...call, body: call.body.replace('conv_1', 'conv_2') },
      { ...call, headers: { ...call.headers, 'x-service-tenant-id': 'ten_2' } },
      { body: call.body, headers: { 'content-type': 'application/json' } },
    ];
    for (const one of bad) {
      const response = await post(server.url, one);
      expect(response.status).toBe(401);
      expect(response.headers.has('x-service-verified-key')).toBe(false);
    }
    expect(events).toEqual([]);
  });

  it('returns 200 with the output of an action, and 422 for a refused one', async () => {
    const good = await post(server.url, signed(anActionCall(), { secrets: [secret] }));
    expect([good.status, await good.json()]).toEqual([
      200,
      { output: { orderId: 'A-1001', of: 'user-7' }, display: 'On its way.' },
    ]);
    const refused = await post(server.url, signed(anActionCall({ action: 'cancel' }), { secrets: [secret] }));
    expect([refused.status, await refused.json()]).toEqual([
      422,
      {
        error: { code: 'shipped', message: 'It has left', retryable: false },
        display: 'It is on its way already.',
      },
    ]);
  });

  it('returns 500 without details when a handler throws, and calls onError', async () => {
    const event = anEvent({ type: 'ping', actionId: 'event:ping' });
    const response = await post(server.url, signed(event, { secrets: [secret] }));
    expect([response.status, await response.text()]).toEqual([500, '{}']);
    expect(errors).toEqual([new Error('handler failed')]);
  });
});

/** Other body parsers have their own size limits. */
const withoutOtherParsers = Object.entries(servers).filter(([name]) => !name.includes('behind'));

describe.each(withoutOtherParsers)('%s, without another body parser', (_name, start) => {
  it('returns 200 for a body of 256 KiB, the maximum, and 413 for 2 MiB', async () => {
    const sizes: number[] = [];
    const server = await start({ secrets: secret, onEvent: (event) => sizes.push(JSON.stringify(event).length) });
    const ofSize = (bytes: number) =>
      post(server.url, signed(anEvent({ data: { object: { text: 'a'.repeat(bytes) } } }), { secrets: [secret] }));
    expect((await ofSize(256 * 1024)).status).toBe(200);
    const large = ofSize(2 * 1024 * 1024).then(({ status }) => status);
    expect(await large.catch(() => 413)).toBe(413); // or the connection is closed while sending
    expect(sizes).toHaveLength(1);
    await server.stop();
  });
});

describe('fastify', () => {
  it('does not affect JSON parsing on other routes', async () => {
    const server = await inFastify({ secrets: secret });
    const other = await post(server.url.replace('/parley', '/other'), {
      body: '{"n":3}',
      headers: { 'content-type': 'application/json' },
    });
    expect(await other.json()).toEqual({ parsed: 3 });
    await server.stop();
  });
});

describe('express behind a parser that changes the body', () => {
  it('returns 401 and reports how to fix it', async () => {
    const errors: Error[] = [];
    const app = expressServer();
    app.use(expressServer.json({ reviver: (_key, value: unknown) => (value === 1 ? 2 : value) }));
    app.post('/parley', express({ secrets: secret, onError: (error) => errors.push(error as Error) }));
    const server = await listen(app);
    expect((await post(server.url, signed(anEvent(), { secrets: [secret] }))).status).toBe(401);
    expect(errors[0]?.message).toContain('before express.json()');
    await server.stop();
  });
});

describe('without handlers', () => {
  it('returns 404 for an action, 200 for an event, and 405 for a GET', async () => {
    const server = await asReceiver({ secrets: secret });
    expect((await post(server.url, signed(anActionCall(), { secrets: [secret] }))).status).toBe(404);
    expect((await post(server.url, signed(anEvent(), { secrets: [secret] }))).status).toBe(200);
    expect((await fetch(server.url)).status).toBe(405);
    await server.stop();
  });
});
