import { describe, expect, test } from 'vitest';
import { admin, api, aTenant, aUser, eventsOf, services, send, type TestTenant } from '../../../test/harness.ts';
import { newId } from '../../platform/ids.ts';
import { limits } from './ingest/reader/limits.ts';
import { createReader } from './ingest/reader/reader.ts';
import { createSyncing } from './ingest/sync.ts';

interface SourceResponse {
  source: {
    id: string;
    name: string;
    kind: string;
    isEnabled: boolean;
    sync: Record<string, unknown>;
    chunks: number;
  };
  content: Record<string, unknown>;
}
const pairs = [{ question: 'Do you ship abroad?', answer: 'Yes, everywhere.' }];
const kinds = {
  text: { kind: 'text', name: 'Text', text: '# Hello' },
  url: { kind: 'url', name: 'Page', url: 'https://example.com/help' },
  sitemap: { kind: 'sitemap', name: 'Site', url: 'https://example.com/sitemap.xml', include: ['/help'] },
  file: { kind: 'file', name: 'File', fileName: 'prices.pdf' },
  qa: { kind: 'qa', name: 'Questions', pairs },
};

const create = (tenant: TestTenant, body: object = kinds.text) =>
  tenant.post(`/bots/${tenant.botId}/knowledge-sources`, body);
async function createSource(tenant: TestTenant, body: object = kinds.text) {
  const response = await create(tenant, body);
  expect(response.statusCode, response.body).toBe(201);
  return response.json<SourceResponse>().source;
}
const upload = (tenant: TestTenant, id: string, payload: Buffer, headers: Record<string, string> = {}) =>
  api.app.inject({
    method: 'PUT',
    url: `/knowledge-sources/${id}/file`,
    headers: { 'content-type': 'application/octet-stream', ...tenant.headers, ...headers },
    payload,
  });
const reasonOf = (response: { body: string }) =>
  (JSON.parse(response.body) as { error: { reason: string } }).error.reason;
const timersOf = async (id: string) =>
  (
    (await admin
      .withSchema('directory')
      .selectFrom('timers' as never)
      .selectAll()
      .execute()) as { subjectId: string; dueAt: Date }[]
  ).filter(({ subjectId }) => subjectId === id);

describe('creating', () => {
  test.each(Object.values(kinds))('returns 201 and requests a sync for a source of kind $kind', async (body) => {
    const tenant = await aTenant();
    const source = await createSource(tenant, body);
    expect(source).toMatchObject({
      kind: body.kind,
      isEnabled: true,
      schedule: 'none',
      language: null,
      sync: { state: 'waiting', done: 0, total: 0, error: null, lastSyncedAt: null, nextSyncAt: null },
      documents: { ready: 0, failed: 0 },
      chunks: 0,
    });
    const isSyncRequested = body.kind !== 'file'; // synced after the upload
    expect((await eventsOf(tenant.tenantId)).includes('knowledge.sync_requested')).toBe(isSyncRequested);
    expect(await timersOf(source.id)).toHaveLength(isSyncRequested ? 1 : 0);
    const { content } = (await tenant.get(`/knowledge-sources/${source.id}`)).json<SourceResponse>();
    const { name: _name, ...expected } = body;
    expect(content).toMatchObject({ ...expected, ...(body.kind === 'file' && { bytes: null }) });
  });

  test('returns 400 for fields of another kind, a duplicate question and an invalid URL', async () => {
    const tenant = await aTenant();
    const wrong = [
      { ...kinds.text, url: 'https://example.com' },
      { ...kinds.qa, pairs: [...pairs, ...pairs] },
      { ...kinds.url, url: 'ftp://example.com/' },
      { ...kinds.url, url: 'javascript:alert(1)' },
      { ...kinds.sitemap, include: ['help'] },
      { ...kinds.text, text: 'x'.repeat(1_000_001) },
      { ...kinds.text, kind: 'video' },
      { name: 'No kind' },
    ];
    for (const body of wrong)
      expect((await create(tenant, body)).statusCode, JSON.stringify(body).slice(0, 80)).toBe(400);
  });

  test("returns 404 for another tenant's bot", async () => {
    const [tenant, other] = [await aTenant(), await aTenant()];
    const foreign = await tenant.post(`/bots/${other.botId}/knowledge-sources`, kinds.text);
    expect([foreign.statusCode, reasonOf(foreign)]).toEqual([404, 'bot_not_found']);
    expect((await tenant.get(`/bots/${other.botId}/knowledge-sources`)).statusCode).toBe(404);
  });

  test('returns 403 when an agent, who may only read, starts a sync', async () => {
    const tenant = await aTenant();
    const source = await createSource(tenant);
    const agent = await aUser([{ tenantId: tenant.tenantId, roles: ['agent'] }]);
    expect((await agent.get(`/knowledge-sources/${source.id}`)).statusCode).toBe(200);
    expect((await agent.post(`/knowledge-sources/${source.id}/sync`)).statusCode).toBe(403);
  });
});

describe('updating', () => {
  test('starts a sync when the content or the language changes, but not when only the name does', async () => {
    const tenant = await aTenant();
    const source = await createSource(tenant);
    const syncs = async () =>
      (await eventsOf(tenant.tenantId)).filter((type) => type === 'knowledge.sync_requested').length;
    await tenant.patch(`/knowledge-sources/${source.id}`, { name: 'New', isEnabled: false });
    expect(await syncs()).toBe(1);
    await tenant.patch(`/knowledge-sources/${source.id}`, { text: kinds.text.text });
    expect(await syncs()).toBe(1);
    await tenant.patch(`/knowledge-sources/${source.id}`, { text: '# Other' });
    expect(await syncs()).toBe(2);
    await tenant.patch(`/knowledge-sources/${source.id}`, { language: 'de' });
    expect(await syncs()).toBe(3);
    const { source: now, content } = (await tenant.get(`/knowledge-sources/${source.id}`)).json<SourceResponse>();
    expect({ ...now, content }).toMatchObject({
      name: 'New',
      isEnabled: false,
      language: 'de',
      content: { text: '# Other' },
    });
  });

  test('returns 400 wrong_source_kind for a field of another kind', async () => {
    const tenant = await aTenant();
    const { id } = await createSource(tenant);
    const response = await tenant.patch(`/knowledge-sources/${id}`, { url: 'https://example.com' });
    expect([response.statusCode, reasonOf(response)]).toEqual([400, 'wrong_source_kind']);
  });

  test('sets the next sync and its timer with a schedule, and clears both without one', async () => {
    const tenant = await aTenant();
    const { id } = await createSource(tenant, kinds.url);
    await admin.updateTable('knowledgeSources').set({ state: 'ready' }).where('id', '=', id).execute();
    const daily = (await tenant.patch(`/knowledge-sources/${id}`, { schedule: 'daily' })).json<SourceResponse>();
    const wait = new Date(String(daily.source.sync['nextSyncAt'])).getTime() - Date.now();
    expect(Math.abs(wait - 86_400_000)).toBeLessThan(60_000);
    expect(await timersOf(id)).toHaveLength(1);
    await tenant.patch(`/knowledge-sources/${id}`, { schedule: 'none' });
    expect(await timersOf(id)).toEqual([]);
  });

  test('does not start a second sync while one is pending', async () => {
    const tenant = await aTenant();
    const { id } = await createSource(tenant);
    const before = await admin.selectFrom('knowledgeSources').select('syncId').where('id', '=', id).executeTakeFirst();
    expect((await tenant.post(`/knowledge-sources/${id}/sync`)).statusCode).toBe(202);
    const after = await admin.selectFrom('knowledgeSources').select('syncId').where('id', '=', id).executeTakeFirst();
    expect(after).toEqual(before);
  });
});

describe('files', () => {
  test('returns 202 and stores the bytes unchanged, whatever the media type', async () => {
    const tenant = await aTenant();
    const { id } = await createSource(tenant, kinds.file);
    expect(reasonOf(await tenant.post(`/knowledge-sources/${id}/sync`))).toBe('file_missing');
    const bytes = Buffer.from('%PDF-1.4 \x00\xff', 'latin1');
    for (const type of ['application/octet-stream', 'application/json', 'text/html; charset=utf-8'])
      expect((await upload(tenant, id, bytes, { 'content-type': type })).statusCode, type).toBe(202);
    const row = await admin.selectFrom('knowledgeFiles').selectAll().where('sourceId', '=', id).executeTakeFirst();
    expect(row).toMatchObject({ name: 'prices.pdf', mediaType: 'text/html; charset=utf-8', content: bytes });
    const { content } = (await tenant.get(`/knowledge-sources/${id}`)).json<SourceResponse>();
    expect(content['bytes']).toBe(bytes.length);
    expect(await eventsOf(tenant.tenantId)).toContain('knowledge.sync_requested');
  });

  test('returns 422 for an unsupported type, 409 for a source of another kind and 400 for an empty body', async () => {
    const tenant = await aTenant();
    const { id } = await createSource(tenant, kinds.file);
    const picture = await upload(tenant, id, Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1'));
    expect([picture.statusCode, reasonOf(picture)]).toEqual([422, 'unsupported_type']);
    expect(reasonOf(await upload(tenant, (await createSource(tenant)).id, Buffer.from('text')))).toBe('not_a_file');
    const nothing = await upload(tenant, id, Buffer.alloc(0));
    expect([nothing.statusCode, reasonOf(nothing)]).toEqual([400, 'body_missing']);
  });

  test('accepts 25 MiB, returns 413 for one byte more and 401 without credentials', async () => {
    const tenant = await aTenant();
    const { id } = await createSource(tenant, kinds.file);
    const max = Buffer.alloc(limits.bytes, 'text ');
    expect((await upload(tenant, id, max)).statusCode).toBe(202);
    expect((await upload(tenant, id, Buffer.concat([max, Buffer.from('x')]))).statusCode).toBe(413);
    expect((await upload(tenant, id, max, { authorization: '' })).statusCode).toBe(401);
  });

  test('returns 415 on other routes for a body that is not JSON', async () => {
    const tenant = await aTenant();
    const { id } = await createSource(tenant);
    for (const type of ['application/octet-stream', 'text/plain', 'application/pdf']) {
      const headers = { ...tenant.headers, 'content-type': type };
      const response = await send('PATCH', `/knowledge-sources/${id}`, headers, '{"name":"x"}');
      expect(response.statusCode, type).toBe(415);
    }
  });

  test('documents a binary request body in OpenAPI', () => {
    const { paths } = api.app.swagger() as unknown as {
      paths: Record<string, { put: { requestBody: { content: object } } }>;
    };
    expect(paths['/knowledge-sources/{id}/file']?.put.requestBody.content).toEqual({
      'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
    });
  });
});

test('deletes documents, chunks, tokens, file and timer with the source', async () => {
  const tenant = await aTenant();
  const { id } = await createSource(tenant, kinds.file);
  await upload(tenant, id, Buffer.from('Some text'));
  const { tenantId } = tenant;
  const document = { tenantId, id: `kdoc_${'0'.repeat(26)}`, sourceId: id, location: 'x', syncId: 'x' };
  await admin.insertInto('knowledgeDocuments').values(document).execute();
  const response = await send('DELETE', `/knowledge-sources/${id}`, tenant.headers);
  expect(response.statusCode, response.body).toBe(200);
  for (const table of ['knowledgeDocuments', 'knowledgeFiles', 'knowledgeChunks', 'knowledgeTokens'] as const)
    expect(await admin.selectFrom(table).select('sourceId').where('sourceId', '=', id).execute(), table).toEqual([]);
  expect(await timersOf(id)).toEqual([]);
  expect((await tenant.get(`/knowledge-sources/${id}`)).statusCode).toBe(404);
});

test('lists the sources of a bot in pages, newest first', async () => {
  const tenant = await aTenant();
  const ids = [
    (await createSource(tenant)).id,
    (await createSource(tenant)).id,
    (await createSource(tenant)).id,
  ].toReversed();
  const first = (await tenant.get(`/bots/${tenant.botId}/knowledge-sources?limit=2`)).json<{
    data: { id: string }[];
    nextCursor: string;
  }>();
  const second = await tenant.get(`/bots/${tenant.botId}/knowledge-sources?cursor=${first.nextCursor}`);
  const pages = [...first.data, ...second.json<{ data: { id: string }[] }>().data];
  expect(new Set(pages.map(({ id }) => id))).toEqual(new Set(ids));
  expect(pages.map(({ id }) => id)).toEqual(
    pages
      .map(({ id }) => id)
      .toSorted()
      .toReversed(),
  );
});

test('resumes a lost sync from its rows, and ignores calls after it has finished', async () => {
  const tenant = await aTenant();
  const questions = Array.from({ length: 25 }, (_, n) => ({
    question: `Question ${n}?`,
    answer: `Answer ${n}`,
  }));
  const { id } = await createSource(tenant, { ...kinds.qa, pairs: questions });
  const row = await admin.selectFrom('knowledgeSources').select('syncId').where('id', '=', id).executeTakeFirst();
  const call = { tenantId: tenant.tenantId, sourceId: id, syncId: row?.syncId ?? '' };
  const newSyncing = () =>
    createSyncing({ services, fetch: api.platform.tenantFetch, reader: createReader(), startMs: 0 });
  const done = async () =>
    (await admin.selectFrom('knowledgeSources').select('done').where('id', '=', id).executeTakeFirst())?.done;

  const first = newSyncing();
  expect(await first.list(call)).toMatchObject({ problem: null });
  for (let n = 0; n < 20; n++) expect(await first.fetchSome(call, 0)).toEqual({ isDone: false, afterMs: 0 });
  expect(await done()).toBe(20);

  const second = newSyncing();
  expect(await second.list(call), 'already listed').toMatchObject({ isDone: true, problem: null });
  expect(await done()).toBe(20);
  expect(await second.fetchSome(call, Infinity)).toEqual({ isDone: true, afterMs: 0 });
  await second.finish(call, null, newId('event'));
  expect(await done()).toBe(25);

  expect(await first.list(call)).toBeNull();
  expect(await first.fetchSome(call, Infinity)).toBeNull();
  await first.finish(call, null, newId('event'));
  expect((await eventsOf(tenant.tenantId)).filter((type) => type === 'knowledge.synced')).toHaveLength(1);
});
