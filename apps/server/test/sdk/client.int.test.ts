import { createParley, each, ParleyError } from '@parley/sdk';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { aKey, aTenant, listen } from '../harness.ts';
import { aFaultyRoad, answerLost, answers, doneBut, lostOnTheWay, neverAnswers, type Fault } from './faulty-road.ts';

vi.setConfig({ testTimeout: 30_000 });
const road = await aFaultyRoad(await listen());
afterAll(() => road.stop());
beforeEach(() => road.meet());

const permissions = [
  'tenant.view',
  'bot.view',
  'bot.manage',
  'webhook.view',
  'webhook.manage',
  'knowledge.manage',
  'session.create',
];

async function aDeveloper() {
  const tenant = await aTenant({ plan: 'enterprise' });
  const key = await aKey(tenant, { permissions });
  const parley = createParley({ apiUrl: road.url, keyId: key.id, key: key.secret });
  const person = createParley({ apiUrl: `${road.url}/`, accessToken: () => tenant.token });
  const bots = async () => (await parley.listBots()).data.map(({ name }) => name);
  road.meet();
  return { tenant, key, parley, person, bots };
}
const thrownBy = async (work: Promise<unknown>): Promise<ParleyError> => {
  const error: unknown = await work.then(
    () => new Error('it succeeded'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ParleyError)) throw error;
  return error;
};

describe('what may be made again is, and has one effect', () => {
  it.each<[string, Fault[]]>([
    ['it is lost on the way', [lostOnTheWay]],
    ['its answer is lost', [answerLost]],
    ['its answer is lost twice', [answerLost, answerLost]],
    ['502 from in between, though it was done', [doneBut(502)]],
    ['504 from in between, though it was done', [doneBut(504)]],
    ['503, then lost', [answers(503), lostOnTheWay]],
    ['429 with Retry-After', [answers(429, { 'retry-after': '0' })]],
    ['500', [answers(500)]],
  ])('201: a creation when %s', async (_what, faults) => {
    const { parley, bots } = await aDeveloper();
    road.meet(...faults);
    const { bot } = await parley.createBot({ body: { name: 'Once' } });
    expect(bot.name).toBe('Once');
    expect(road.seen).toHaveLength(faults.length + 1);
    const keys = road.seen.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[\da-f-]{36}$/);
    expect(new Set(keys).size).toBe(1);
    expect((await bots()).filter((name) => name === 'Once')).toHaveLength(1);
  });

  it('two creations are two, each with a key of its own; one with my key is one', async () => {
    const { parley, bots } = await aDeveloper();
    const create = (idempotencyKey?: string) =>
      parley.createBot({ body: { name: 'Again' }, ...(idempotencyKey && { idempotencyKey }) });
    await Promise.all([create(), create()]);
    const [first, second] = [await create('mine'), await create('mine')];
    expect(first.bot.id).toBe(second.bot.id);
    expect((await bots()).filter((name) => name === 'Again')).toHaveLength(3);
  });

  it('a secret that was in the answer that was lost is not shown again, and the error says so', async () => {
    const { person } = await aDeveloper();
    road.meet(answerLost);
    const error = await thrownBy(person.createApiKey({ body: { name: 'Lost', keyType: 'secret_server' } }));
    expect(error).toMatchObject({ code: 'CONFLICT', reason: 'secret_already_shown', status: 409 });
  });

  it('a POST that takes no key is never made again', async () => {
    const { parley, tenant } = await aDeveloper();
    for (const fault of [lostOnTheWay, answers(503), answers(429, { 'retry-after': '0' })]) {
      road.meet(fault);
      await thrownBy(parley.askBot({ path: { id: tenant.botId }, body: { question: 'When?' } }));
      expect(road.seen).toHaveLength(1);
      expect(road.seen[0]?.headers).not.toHaveProperty('idempotency-key');
    }
  });

  it('a PATCH is made again only when it was refused before anything was done', async () => {
    const { parley, tenant } = await aDeveloper();
    const rename = () => parley.updateBot({ path: { id: tenant.botId }, body: { name: 'Renamed' } });
    road.meet(answerLost);
    expect(await thrownBy(rename())).toMatchObject({ code: 'NETWORK' });
    expect(road.seen).toHaveLength(1);
    road.meet(answers(429, { 'retry-after': '0' }));
    expect((await rename()).bot.name).toBe('Renamed');
  });

  it('what is wrong is not made again', async () => {
    const { parley } = await aDeveloper();
    await thrownBy(parley.getBot({ path: { id: 'bot_01jz0000000000000000000000' } }));
    expect(road.seen).toHaveLength(1);
  });
});

describe('how long it goes on', () => {
  it('twice more, unless I say otherwise', async () => {
    const { parley } = await aDeveloper();
    road.meet(answers(503), answers(503), answers(503), answers(503));
    expect(await thrownBy(parley.getMe())).toMatchObject({
      code: 'UNEXPECTED_ANSWER',
      reason: 'http_503',
      status: 503,
    });
    expect(road.seen).toHaveLength(3);
    road.meet(answers(503), answers(503));
    await thrownBy(parley.getMe({ maxRetries: 0 }));
    expect(road.seen).toHaveLength(1);
  });

  it('it waits as long as it is told to, and not for more than a minute', async () => {
    const { parley } = await aDeveloper();
    road.meet(answers(429, { 'retry-after': '1' }));
    const began = performance.now();
    await parley.getMe();
    expect(performance.now() - began).toBeGreaterThan(950);
    road.meet(answers(429, { 'retry-after': '3600' }));
    expect(await thrownBy(parley.getMe())).toMatchObject({ status: 429, retryAfterMs: 3_600_000 });
    expect(road.seen).toHaveLength(1);
  });

  it('one attempt has its time, and the error names what we sent as its id', async () => {
    const { parley } = await aDeveloper();
    road.meet(neverAnswers, neverAnswers);
    const error = await thrownBy(parley.getMe({ timeoutMs: 100, maxRetries: 1 }));
    expect(error).toMatchObject({ code: 'NETWORK', reason: 'timeout', status: null });
    expect(road.seen.map(({ headers }) => headers['x-request-id'])).toEqual([error.requestId, error.requestId]);
  });

  it('I can call it off: under way, and while it waits', async () => {
    const { parley } = await aDeveloper();
    const ways: [Fault, number][] = [
      [neverAnswers, 0],
      [answers(503, { 'retry-after': '20' }), 2],
    ];
    for (const [fault, maxRetries] of ways) {
      road.meet(fault);
      const abort = new AbortController();
      const call = parley.getMe({ signal: abort.signal, maxRetries });
      await expect.poll(() => road.seen.length).toBe(1);
      const enough = new Error('enough');
      setTimeout(() => abort.abort(enough), 50);
      await expect(call).rejects.toBe(enough);
      expect(road.seen).toHaveLength(1);
    }
  });
});

describe('what is thrown says what happened', () => {
  it('400 with the fields, 401, 403, 404: code, reason, status, and the id of the request', async () => {
    const { parley, key } = await aDeveloper();
    const invalid = await thrownBy(parley.createBot({ body: { name: '' } }));
    expect(invalid).toMatchObject({ code: 'VALIDATION_ERROR', reason: 'invalid_fields', status: 400 });
    expect(invalid.details).toMatchObject([{ path: '/name' }]);
    expect(invalid.message).toContain('\n  /name: ');
    expect(invalid.requestId).toMatch(/^req_/);
    const stranger = createParley({ apiUrl: road.url, keyId: key.id, key: `${key.secret.slice(0, -4)}0000` });
    expect(await thrownBy(stranger.getMe())).toMatchObject({ code: 'UNAUTHORIZED', status: 401 });
    expect(await thrownBy(parley.listMembers())).toMatchObject({ reason: 'permission_missing', status: 403 });
    expect(await thrownBy(parley.getBot({ path: { id: 'bot_01jz0000000000000000000000' } }))).toMatchObject({
      reason: 'bot_not_found',
      status: 404,
    });
  });

  it('NETWORK: nobody is there', async () => {
    const nobody = createParley({ apiUrl: 'http://127.0.0.1:9', keyId: 'key_1', key: 'sc_live_1', maxRetries: 0 });
    const error = await thrownBy(nobody.getMe());
    expect(error).toMatchObject({ code: 'NETWORK', reason: 'no_answer', status: null });
    expect(error.requestId).toMatch(/^[\da-f-]{36}$/);
    expect(error.message).toContain('127.0.0.1:9');
  });

  it('another address is not followed, so that no key goes there', async () => {
    const { parley } = await aDeveloper();
    road.meet(answers(302, { location: '/elsewhere' }));
    expect(await thrownBy(parley.getMe())).toMatchObject({ code: 'UNEXPECTED_ANSWER', status: 302 });
    expect(road.seen).toHaveLength(1);
  });

  it('200 with a page is not taken for an answer', async () => {
    const { parley } = await aDeveloper();
    road.meet(answers(200));
    expect(await thrownBy(parley.getMe())).toMatchObject({ code: 'UNEXPECTED_ANSWER', reason: 'http_200' });
  });

  it('a missing setting is named before anything is sent', () => {
    const from = (env: Record<string, string>) =>
      createParley({ apiUrl: env['API'] ?? '', keyId: env['ID'] ?? '', key: env['KEY'] ?? '' });
    expect(() => from({})).toThrow('apiUrl is missing');
    expect(() => from({ API: 'https://x.example', ID: 'key_1' })).toThrow('key is missing');
  });

  it.each(['', '.', '..'])('an id of ‘%s’ is refused here: it would be another address', async (id) => {
    const { parley } = await aDeveloper();
    await expect(parley.getBot({ path: { id } })).rejects.toThrow(TypeError);
    await parley.getBot({ path: { id: 'a/../../b?c' } }).catch(() => {});
    expect(road.seen.map(({ url }) => url)).toEqual(['/bots/a%2F..%2F..%2Fb%3Fc']);
  });
});

describe('whole things', () => {
  it('each: every page, read when it is needed', async () => {
    const { parley } = await aDeveloper();
    for (const n of [1, 2, 3, 4]) await parley.createBot({ body: { name: `Bot ${n}` } });
    road.meet();
    const names: string[] = [];
    for await (const bot of each(parley.listBots, { query: { limit: 2 } })) names.push(bot.name);
    expect(names.toSorted()).toEqual(['Bot', 'Bot 1', 'Bot 2', 'Bot 3', 'Bot 4']);
    expect(road.seen).toHaveLength(3);
    road.meet();
    for await (const _first of each(parley.listBots, { query: { limit: 2 } })) break;
    expect(road.seen).toHaveLength(1);
    const { nextCursor } = await parley.listBots({ query: { limit: 2 } });
    const rest: string[] = [];
    for await (const bot of each(parley.listBots, { query: { limit: 2, cursor: nextCursor ?? '' } }))
      rest.push(bot.name);
    expect(rest).toEqual(names.slice(2));
  });

  it('a file goes up as it is', async () => {
    const { parley, tenant } = await aDeveloper();
    const { source } = await parley.createKnowledgeSource({
      path: { botId: tenant.botId },
      body: { kind: 'file', name: 'Terms', fileName: 'terms.txt' },
    });
    const file = new Blob(['You have 30 days to send it back.']);
    const uploaded = await parley.uploadKnowledgeFile({ path: { id: source.id }, body: file });
    expect(uploaded.source.id).toBe(source.id);
  });

  it('the version of the API that the types are of is asked for', async () => {
    const { parley } = await aDeveloper();
    await parley.getMe();
    expect(road.seen[0]?.headers['x-service-version']).toBe('2026-11-14');
    expect(road.seen[0]?.headers['user-agent']).toMatch(/^parley-sdk\/\d/);
  });

  it('createWidgetSession: where the bot lives is looked up once', async () => {
    const { parley, tenant } = await aDeveloper();
    const { environments } = await deployed(parley, tenant.botId);
    road.meet();
    const who = { botId: tenant.botId, externalUserId: 'user-7', email: 'kim@shop.example' };
    const session = await parley.createWidgetSession(who);
    expect(session).toMatchObject({ sessionToken: expect.any(String), contactId: expect.stringMatching(/^con_/) });
    await Promise.all([parley.createWidgetSession(who), parley.createWidgetSession(who)]);
    const asked = road.seen.map(({ url }) => url.split('?')[0]);
    expect(asked.filter((url) => url === '/widget/sessions/authenticated')).toHaveLength(3);
    expect(asked).toHaveLength(6);
    const test = await parley.createWidgetSession({ ...who, environmentId: environments['test'] ?? '' });
    expect(test.contactId).not.toBe(session.contactId);
  });

  it('createWidgetSession: what was not found is looked up again next time', async () => {
    const { parley, tenant } = await aDeveloper();
    const who = { botId: tenant.botId, externalUserId: 'user-7', email: 'kim@shop.example' };
    road.meet(...Array.from({ length: 6 }, () => answers(503)));
    expect(await thrownBy(parley.createWidgetSession(who))).toMatchObject({ status: 503 });
    await deployed(parley, tenant.botId);
    expect(await parley.createWidgetSession(who)).toHaveProperty('sessionToken');
  });
});

async function deployed(parley: ReturnType<typeof createParley>, botId: string) {
  const { version } = await parley.publishBot({ path: { id: botId }, body: {} });
  const { data } = await parley.listEnvironments();
  for (const { id } of data)
    await parley.deployBot({ path: { id: botId }, body: { environmentId: id, versionId: version.id } });
  return { environments: Object.fromEntries(data.map(({ name, id }) => [name, id])) };
}
