import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { admin, aTenant, inside, type TestTenant } from '../../../../test/harness.ts';
import { newId } from '../../../platform/ids.ts';
import { indexChunks } from './chunk-index.ts';
import { countTokens, deleteChunks, saveChunks, type Chunk } from './chunks.store.ts';

let tenant: TestTenant;
beforeAll(async () => {
  tenant = await aTenant();
});

async function aSource(): Promise<string> {
  const id = newId('knowledgeSource');
  await inside(tenant.tenantId, ({ tx }) =>
    tx
      .insertInto('knowledgeSources')
      .values({ id, botId: tenant.botId, kind: 'text', name: 'Help', config: '{}', createdBy: 'test' })
      .execute(),
  );
  return id;
}

async function aDocument(sourceId: string, language: string | null, chunks: Chunk[], title = 'Title') {
  const id = newId('knowledgeDocument');
  await inside(tenant.tenantId, async ({ tx }) => {
    await tx
      .insertInto('knowledgeDocuments')
      .values({ id, sourceId, location: id, title, language, syncId: 'x' })
      .execute();
    await saveChunks(tx, { id, sourceId }, indexChunks({ title, language }, chunks));
  });
  return id;
}

const tokensOf = async (documentId: string) =>
  (
    await sql<{ config: string; tokens: string }>`select config::text, tokens::text from knowledge_chunks
      where document_id = ${documentId} order by place`.execute(admin)
  ).rows;

const count = (sourceId: string) => inside(tenant.tenantId, ({ tx }) => countTokens(tx, sourceId));
const counted = async (sourceId: string) =>
  (
    await admin
      .selectFrom('knowledgeTokens')
      .select(['token', 'lexeme', 'chunks'])
      .where('sourceId', '=', sourceId)
      .orderBy('token')
      .execute()
  ).map(({ token, lexeme, chunks }) => [token, lexeme, chunks]);

test.each([
  ['en', 'english', 'running', 'run'],
  ['de-CH', 'german', 'Häuser', 'haus'],
  ['FR', 'french', 'livraisons', 'livraison'],
  ['nl', 'dutch', 'bestellingen', 'bestell'],
  ['pt_BR', 'portuguese', 'pagamentos', 'pagament'],
  ['xx', 'simple', 'running', 'running'],
  [null, 'simple', 'running', 'running'],
])('indexes a chunk in %s as %s', async (language, config, token, lexeme) => {
  const [row] = await tokensOf(await aDocument(await aSource(), language, [{ heading: '', body: token }], ''));
  expect(row?.config).toBe(config);
  expect(row?.tokens).toContain(`'${lexeme}'`);
});

test('weights own heading, parent headings, compound parts and text differently', async () => {
  const id = await aDocument(await aSource(), 'de', [{ heading: 'Zahlen › Karten', body: 'Bestellnummer' }], 'Hilfe');
  expect((await tokensOf(id))[0]?.tokens).toBe("'bestellnumm':4 'hilf':2B 'kart':1A 'numm':5C 'zahl':3B");
});

test('does not index Markdown markup, URLs and tags', async () => {
  const body = [
    '**Bold** _soft_ `code` ~~gone~~ <b class="shiny">tag</b> &nbsp; \\*star',
    '[text](https://hidden.example/path "hover") ![alt](/picture.png) <https://auto.example> https://bare.example/x?y=z',
    '| head | cell |\n|:---|---:|\n| left | right |',
    '```js\nfenced();\n```\n> quoted\n- item\n1. first\n\n[ref]: https://reference.example',
  ].join('\n\n');
  const [row] = await tokensOf(await aDocument(await aSource(), null, [{ heading: '', body }], ''));
  const tokens = [...(row?.tokens.matchAll(/'([^']+)'/g) ?? [])].map(([, token]) => token);
  expect(tokens.toSorted((a, b) => (a ?? '').localeCompare(b ?? ''))).toEqual(
    'alt bold cell code fenced first gone head item left quoted right soft star tag text'.split(' '),
  );
});

test('indexes the parts of paths, model numbers and hyphenated words', async () => {
  const body = 'and/or AX-200 wi-fi E-Mail-Adresse foo_bar v2.1';
  const [row] = await tokensOf(await aDocument(await aSource(), null, [{ heading: '', body }], ''));
  for (const token of ['and', 'or', 'ax', '200', 'ax200', 'wifi', 'email', 'emailadresse', 'foo', 'bar'])
    expect(row?.tokens).toContain(`'${token}':`);
});

test('replaces all chunks when saved again, deletes them all, and drops NUL characters', async () => {
  const sourceId = await aSource();
  const id = await aDocument(sourceId, 'en', [
    { heading: 'a', body: 'one' },
    { heading: 'b', body: 'two' },
  ]);
  await inside(tenant.tenantId, ({ tx }) =>
    saveChunks(tx, { id, sourceId }, indexChunks({ title: 'T', language: 'en' }, [{ heading: 'c', body: 'th\0ree' }])),
  );
  const left = await admin
    .selectFrom('knowledgeChunks')
    .select(['place', 'heading', 'body'])
    .where('documentId', '=', id)
    .execute();
  expect(left).toEqual([{ place: 0, heading: 'c', body: 'three' }]);
  await inside(tenant.tenantId, ({ tx }) => deleteChunks(tx, id));
  expect(await tokensOf(id)).toEqual([]);
});

test('counts tokens as written, with their lexeme and number of chunks', async () => {
  const sourceId = await aSource();
  const other = await aSource();
  await aDocument(
    sourceId,
    'en',
    [
      { heading: '', body: 'The **Refund** of refunds' },
      { heading: '', body: 'A refund, [see](https://nowhere.example)' },
      { heading: '', body: 'Nothing' },
    ],
    '',
  );
  await aDocument(other, 'en', [{ heading: '', body: 'refund' }], '');
  await count(other);
  await count(sourceId);
  await count(sourceId); // again: replaced, not added
  expect(await counted(sourceId)).toEqual([
    ['', '', 3],
    ['noth', 'noth', 1],
    ['nothing', 'noth', 1],
    ['refund', 'refund', 2],
    ['refunds', 'refund', 2],
    ['see', 'see', 1],
  ]);
  expect(await counted(other)).toEqual([
    ['', '', 1],
    ['refund', 'refund', 1],
  ]);
});

test('has no tokens after its chunks are deleted', async () => {
  const sourceId = await aSource();
  const id = await aDocument(sourceId, 'en', [{ heading: '', body: 'refund' }]);
  await count(sourceId);
  await inside(tenant.tenantId, ({ tx }) => deleteChunks(tx, id));
  await count(sourceId);
  expect(await counted(sourceId)).toEqual([]);
});
