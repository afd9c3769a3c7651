import { beforeAll, describe, expect, test } from 'vitest';
import { aBot } from '../../../../test/chat/fixture.ts';
import { admin, aTenant, aUser, inside, type TestTenant } from '../../../../test/harness.ts';
import { answerFromChunks } from '../../answers/index.ts';
import { draftContent } from '../../bots/index.ts';
import { newId } from '../../../platform/ids.ts';
import type { AskedBot } from '../knowledge.contract.ts';
import { indexChunks } from '../chunk/chunk-index.ts';
import { countTokens, saveChunks } from '../chunk/chunks.store.ts';

let tenant: TestTenant;
let sourceId: string;
let documentId: string;
beforeAll(async () => {
  tenant = await aTenant();
  ({ sourceId } = await aBot(tenant));
  const row = admin.selectFrom('knowledgeDocuments').select('id').where('sourceId', '=', sourceId);
  documentId = (await row.executeTakeFirstOrThrow()).id;
});

const ask = (caller: Pick<TestTenant, 'post'>, question: string, botId = tenant.botId) =>
  caller.post(`/bots/${botId}/ask`, { question });
const askOk = async (question: string) => {
  const response = await ask(tenant, question);
  expect(response.statusCode, response.body).toBe(200);
  return response.json<AskedBot>();
};

describe('POST /bots/:id/ask', () => {
  const question = 'How long does delivery take?';

  test('returns the answer a chat would quote, its citations and the matched tokens', async () => {
    const { answer, chunks } = await askOk(question);
    const chat = await inside(tenant.tenantId, async (ctx) =>
      answerFromChunks(ctx.tx, await draftContent(ctx, tenant.botId), { text: question }),
    );
    expect(answer).toEqual({ text: chat.text, citations: chat.citations });
    expect(answer?.text).toContain('two to four working days');
    expect(chunks[0]).toEqual({
      documentId,
      sourceId,
      sourceName: 'Help',
      title: 'Help',
      heading: 'Delivery',
      url: null,
      text: expect.stringContaining('Delivery takes two to four working days'),
      score: expect.any(Number),
      matched: expect.arrayContaining(['delivery']),
      isQuoted: true,
    });
    expect(chunks.slice(1).every(({ isQuoted, score }) => !isQuoted && score <= (chunks[0]?.score ?? 0))).toBe(true);
  });

  test('returns null without a confident match, with the nearest chunks', async () => {
    const { answer, chunks } = await askOk('Do you repair working bicycles and tractors on Jupiter?');
    expect(answer).toBeNull();
    expect(chunks.every(({ isQuoted }) => !isQuoted)).toBe(true);
    expect(await askOk('xyzzy')).toEqual({ answer: null, chunks: [] });
  });

  test('returns at most eight chunks, each truncated', async () => {
    const many = await aTenant();
    const [source, document] = [newId('knowledgeSource'), newId('knowledgeDocument')];
    await inside(many.tenantId, async ({ tx }) => {
      const row = { id: source, botId: many.botId, kind: 'text', name: 'Long', config: '{}', createdBy: 'test' };
      await tx.insertInto('knowledgeSources').values(row).execute();
      const of = { id: document, sourceId: source, location: 'x', title: 'Long', language: 'en', syncId: 's' };
      await tx.insertInto('knowledgeDocuments').values(of).execute();
      const body = `The kettle boils. ${'🫖 words '.repeat(200)}`;
      const twelve = Array.from({ length: 12 }, (_, n) => ({ heading: `Part ${n}`, body }));
      await saveChunks(tx, { id: document, sourceId: source }, indexChunks(of, twelve));
      await countTokens(tx, source);
    });
    const found = (await ask(many, 'When does the kettle boil?', many.botId)).json<AskedBot>();
    expect(found.chunks).toHaveLength(8);
    for (const { text } of found.chunks) {
      expect(text.length).toBeLessThanOrEqual(600);
      expect(text.isWellFormed()).toBe(true);
    }

    await many.patch(`/knowledge-sources/${source}`, { isEnabled: false });
    expect((await ask(many, 'When does the kettle boil?', many.botId)).json()).toEqual({ answer: null, chunks: [] });
  });

  test('writes nothing', async () => {
    const countAll = async () =>
      (await admin.selectFrom('events').select('id').where('tenantId', '=', tenant.tenantId).execute()).length;
    const before = await countAll();
    await askOk(question);
    expect(await countAll()).toBe(before);
    const usage = await admin.selectFrom('usageDays').selectAll().where('tenantId', '=', tenant.tenantId).execute();
    expect(usage).toEqual([]);
  });

  test("returns 404 for another tenant's bot, 403 for a viewer, and 400 for an empty or too long question", async () => {
    const theirs = await aTenant();
    const viewer = await aUser([{ tenantId: tenant.tenantId, roles: ['viewer'] }]);
    expect((await ask(theirs, question)).statusCode).toBe(404);
    expect((await ask(viewer, question)).statusCode).toBe(403);
    for (const bad of ['', '   ', 'x'.repeat(501)]) expect((await ask(tenant, bad)).statusCode, bad).toBe(400);
  });
});

describe('GET /knowledge-documents/:id/chunks', () => {
  interface Page {
    data: { position: number; heading: string; text: string }[];
    nextCursor: string | null;
  }
  const chunks = (caller: Pick<TestTenant, 'get'>, more = '') =>
    caller.get(`/knowledge-documents/${documentId}/chunks${more}`);

  test('returns all chunks in order, in pages', async () => {
    const all = (await chunks(tenant)).json<Page>();
    expect(all.data.map(({ position, heading }) => [position, heading])).toEqual([
      [0, 'Refunds'],
      [1, 'Delivery'],
      [2, 'Opening hours'],
    ]);
    expect(all.data[2]?.text).toMatch(/^Our shop in Hamburg/);
    expect(all.nextCursor).toBeNull();
    const first = (await chunks(tenant, '?limit=2')).json<Page>();
    const second = (await chunks(tenant, `?limit=2&cursor=${first.nextCursor}`)).json<Page>();
    expect([...first.data, ...second.data]).toEqual(all.data);
    expect(second.nextCursor).toBeNull();
  });

  test("returns 404 for another tenant's document and 400 for an invalid cursor", async () => {
    expect((await chunks(await aTenant())).statusCode).toBe(404);
    expect((await chunks(tenant, '?cursor=abc')).statusCode).toBe(400);
  });
});
