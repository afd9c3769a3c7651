import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isFull } from '../../../../../../tools/testing/size.ts';
import { aBot, aChatStack, aVisitor, startWorkerInProcess } from '../../../../test/chat/fixture.ts';
import { builtDir } from '../../../../test/faults/child.ts';
import { age, erase, remove } from '../../../../test/deleted-tenant.ts';
import { admin, aTenant, inside, openApi, urlAs, type TestTenant } from '../../../../test/harness.ts';
import { indexChunks } from '../chunk/chunk-index.ts';
import { saveChunks } from '../chunk/chunks.store.ts';
import { search } from './search.ts';
import { saveVectors, chunksWithoutVector } from './vectors.store.ts';

// End to end with an embedding server: HTTP, Restate, sync, vectors, a visitor's question.

const { model, chatSettings } = await aChatStack();
const dimensions = 64;
const EMBEDDINGS = JSON.stringify({
  provider: 'openai-compatible',
  baseUrl: model.url,
  model: 'meanings',
  dimensions,
  inputPrice: 0,
  confidentAt: 0.6,
});
const worker = await startWorkerInProcess({ ...chatSettings, EMBEDDINGS });
const { app, close } = await openApi(chatSettings);
afterAll(async () => {
  await close();
  await worker.stop();
});

/** Embeds two topics by keywords; other text gets a nearly zero vector. */
const topics = [/\b(velocipedes?|stabled|cellar|bike|park)\b/gi, /\b(larder|victuals|eat|food|hungry)\b/gi];
let embeddedTexts: string[] = [];
const embed = (text: string): number[] => {
  embeddedTexts.push(text);
  const vector = Array.from<number>({ length: dimensions }).fill(0);
  vector[dimensions - 1] = 0.1;
  for (const [n, topic] of topics.entries()) vector[n] = text.match(topic)?.length ?? 0;
  return vector;
};
model.vector = embed;
const vector = (text: string) => ({ model: `meanings/${dimensions}`, values: embed(text), confidentAt: 0.6 });

const pairs = [
  { question: 'Velocipedes', answer: 'Velocipedes are stabled in our cellar, beside the boiler.' },
  { question: 'Larder', answer: 'Victuals stand in the larder until nine in the evening.' },
];
const paraphrase = 'where can someone park a bike?';

async function aSource(tenant: TestTenant): Promise<string> {
  const source = { kind: 'qa', name: 'House', pairs, language: 'en' };
  const response = await tenant.post(`/bots/${tenant.botId}/knowledge-sources`, source);
  expect(response.statusCode, response.body).toBe(201);
  const { id } = response.json<{ source: { id: string } }>().source;
  await waitForSync(tenant, id);
  return id;
}
async function waitForSync(tenant: TestTenant, id: string) {
  const state = async () =>
    (await tenant.get(`/knowledge-sources/${id}`)).json<{ source: { sync: { state: string } } }>().source.sync.state;
  await expect.poll(state, { timeout: 15_000, interval: 100 }).toBe('ready');
}
async function syncAgain(tenant: TestTenant, id: string) {
  expect((await tenant.post(`/knowledge-sources/${id}/sync`)).statusCode).toBe(202);
  await waitForSync(tenant, id);
}
const vectorsOf = async (sourceId: string) =>
  (await sql<{ place: number }>`select place from ${sql.table(table)} where source_id = ${sourceId}`.execute(admin))
    .rows;

async function reply(tenant: TestTenant, question: string) {
  const visitor = await aVisitor(app, await aBot(tenant));
  const response = await visitor.say(question);
  expect(response.statusCode, response.body).toBe(200);
  return response.json<{ reply: { text: string; isAnswer: boolean } }>().reply;
}
const enable = () =>
  promisify(execFile)(process.execPath, [join(builtDir(), 'cli.js'), 'vectors', 'enable'], {
    env: { DATABASE_URL: urlAs('parley_owner') },
  });

const isAvailable =
  (await sql`select from pg_available_extensions where name = 'vector'`.execute(admin)).rows.length > 0;

test('`vectors enable` fails with the reason if the extension is not installed', async () => {
  await expect(enable()).rejects.toMatchObject({
    stderr: expect.stringContaining('`vector` extension is not installed'),
  });
});

let table = 'knowledge_embeddings';
describe('without the extension', () => semanticSearch({ isSample: false }));

const title = isAvailable
  ? 'with the extension'
  : 'skipped: this PostgreSQL has no `vector` extension (build one with tools/stack/build-vector.sh)';
describe.runIf(isAvailable)(title, () => {
  beforeAll(async () => {
    await sql`create extension vector schema public`.execute(admin);
    await enable();
    expect((await enable()).stdout, 'is idempotent').toContain('Vectors enabled');
    table = 'knowledge_vectors';
  });
  semanticSearch({ isSample: !isFull });
});

/** Wherever the vectors are. A sample leaves out what happens before they are stored and after they are found. */
function semanticSearch({ isSample }: { isSample: boolean }) {
  test('answers a question that shares no token with its chunk', async () => {
    const tenant = await aTenant();
    const id = await aSource(tenant);
    expect(await vectorsOf(id)).toHaveLength(2);
    const byTokens = await inside(tenant.tenantId, ({ tx }) => search(tx, [id], paraphrase));
    expect(byTokens).toEqual({ chunks: [], isConfident: false });
    const found = await reply(tenant, paraphrase);
    expect(found.text).toContain('boiler');
    expect(found.text).not.toContain('larder');
    expect(await reply(await aTenant(), paraphrase)).toMatchObject({ isAnswer: false });
  });

  test.skipIf(isSample)('passes a chunk found only by its vector to the model', async () => {
    const tenant = await aTenant();
    await aSource(tenant);
    let prompt = '';
    model.script = (request) => {
      prompt = JSON.stringify(request.messages[0]);
      return { tokens: ['Downstairs', '[1].'], everyMs: 1 };
    };
    const visitor = await aVisitor(app, await aBot(tenant, { answers: { mode: 'model' } }));
    expect((await visitor.say(paraphrase)).body).toContain('Downstairs');
    expect(prompt).toContain('boiler');
  });

  test('embeds existing chunks at the next sync, and unchanged chunks only once', async () => {
    const tenant = await aTenant();
    const id = await aSource(tenant);
    await sql`delete from ${sql.table(table)} where source_id = ${id}`.execute(admin);
    await syncAgain(tenant, id);
    expect(await vectorsOf(id)).toHaveLength(2);
    embeddedTexts = [];
    await syncAgain(tenant, id);
    expect(embeddedTexts).toEqual([]);
    await tenant.patch(`/knowledge-sources/${id}`, { pairs: [pairs[0], { question: 'Larder', answer: 'Closed.' }] });
    await waitForSync(tenant, id);
    expect(embeddedTexts).toEqual([expect.stringContaining('Closed.')]);
    expect(await vectorsOf(id)).toHaveLength(2);
  });

  test('embeds and compares only text in the languages that the model knows', async () => {
    const tenant = await aTenant();
    const id = await aSource(tenant);
    await inside(tenant.tenantId, async ({ tx }) => {
      const notFrench = { model: 'other/64', languages: ['fr'] };
      expect(await chunksWithoutVector(tx, id, notFrench, 10)).toEqual([]);
      expect(await chunksWithoutVector(tx, id, { ...notFrench, languages: ['en'] }, 10)).toHaveLength(2);
      const asked = { ...vector(paraphrase), languages: ['fr'] };
      const found = await search(tx, [id], paraphrase, { vector: asked, languages: ['en'] });
      expect(found).toEqual({ chunks: [], isConfident: false });
    });
  });

  test('does not save a vector for a chunk that changed in the meantime', async () => {
    const tenant = await aTenant();
    const id = await aSource(tenant);
    await sql`delete from ${sql.table(table)} where source_id = ${id}`.execute(admin);
    await inside(tenant.tenantId, async ({ tx }) => {
      const chunks = await chunksWithoutVector(tx, id, { model: 'meanings/64' }, 10);
      const [first] = chunks;
      const other = [{ heading: first?.heading ?? '', body: 'It says something else now.' }];
      const indexed = indexChunks({ title: 'House', language: 'en' }, other);
      await saveChunks(tx, { id: first?.documentId ?? '', sourceId: id }, indexed);
      await saveVectors(
        tx,
        'meanings/64',
        chunks,
        chunks.map(({ body }) => embed(body)),
      );
      expect(await chunksWithoutVector(tx, id, { model: 'meanings/64' }, 10)).toMatchObject([
        { body: 'It says something else now.' },
      ]);
    });
  });

  test("does not find another tenant's vectors, even with its source id", async () => {
    const [theirs, ours] = [await aTenant(), await aTenant()];
    const [theirSource, ourSource] = [await aSource(theirs), await aSource(ours)];
    const found = await inside(ours.tenantId, async ({ tx }) => ({
      ...(await search(tx, [theirSource, ourSource], paraphrase, { vector: vector(paraphrase) })),
      visibleSources: (await sql<{ sourceId: string }>`select distinct source_id from ${sql.table(table)}`.execute(tx))
        .rows,
    }));
    expect(found.chunks[0]).toMatchObject({ sourceId: ourSource });
    expect(found.chunks.filter(({ sourceId }) => sourceId !== ourSource)).toEqual([]);
    expect(found.visibleSources).toEqual([{ sourceId: ourSource }]);
    const moved = inside(ours.tenantId, ({ tx }) =>
      sql`update ${sql.table(table)} set tenant_id = ${theirs.tenantId}`.execute(tx),
    );
    await expect(moved).rejects.toThrow('row-level security');
  });

  test('a key that is bound to another bot sees none of them, and may read its own', async () => {
    const [theirs, ours] = [await aTenant(), await aTenant()];
    await aSource(theirs);
    const id = await aSource(ours);
    const countAs = (bot: string) =>
      admin.transaction().execute(async (tx) => {
        await sql`select set_config('app.tenant_id', ${ours.tenantId}, true), set_config('app.bound_bot_id', ${bot}, true)`.execute(
          tx,
        );
        await sql`set local role parley_bound`.execute(tx);
        return (await sql`select from ${sql.table(table)} where source_id = ${id}`.execute(tx)).rows.length;
      });
    expect(await countAs(ours.botId)).toBe(2);
    expect(await countAs('bot_other')).toBe(0);
  });

  test('deletes vectors with their source and when the tenant is erased', async () => {
    const tenant = await aTenant();
    const [kept, deleted] = [await aSource(tenant), await aSource(tenant)];
    await app.inject({ method: 'DELETE', url: `/knowledge-sources/${deleted}`, headers: tenant.headers });
    expect(await vectorsOf(deleted)).toEqual([]);
    expect(await vectorsOf(kept)).toHaveLength(2);
    expect((await remove(tenant)).statusCode).toBe(200);
    await age(tenant.tenantId, '721 hours');
    expect(await erase(tenant.tenantId)).toBe(true);
    expect(await vectorsOf(kept)).toEqual([]);
  });

  const modelDown =
    'completes the sync and searches by tokens if the embedding model is down, and embeds at the next sync';
  test.skipIf(isSample)(modelDown, async () => {
    const tenant = await aTenant();
    model.vector = () => {
      throw new Error('down');
    };
    const id = await aSource(tenant);
    expect(await vectorsOf(id)).toEqual([]);
    expect((await reply(tenant, 'where are velocipedes stabled?')).text).toContain('boiler');
    model.vector = () => [1, 2, 3]; // responds, but with the wrong number of dimensions
    await syncAgain(tenant, id);
    expect(await vectorsOf(id)).toEqual([]);
    model.vector = embed;
    await syncAgain(tenant, id);
    expect(await vectorsOf(id)).toHaveLength(2);
  });
}
