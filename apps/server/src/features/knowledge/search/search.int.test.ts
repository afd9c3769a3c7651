import { beforeAll, describe, expect, test } from 'vitest';
import { aTenant, inside, type TestTenant } from '../../../../test/harness.ts';
import { newId } from '../../../platform/ids.ts';
import { indexChunks } from '../chunk/chunk-index.ts';
import { countTokens, saveChunks, type Chunk } from '../chunk/chunks.store.ts';
import { search, type SearchOptions } from './search.ts';

interface Page {
  title: string;
  language: string | null;
  location?: string;
  chunks: Chunk[];
}

async function aSource(tenant: TestTenant, pages: Page[]): Promise<string> {
  const sourceId = newId('knowledgeSource');
  await inside(tenant.tenantId, async ({ tx }) => {
    await tx
      .insertInto('knowledgeSources')
      .values({ id: sourceId, botId: tenant.botId, kind: 'text', name: 'Help', config: '{}', createdBy: 'test' })
      .execute();
  });
  await addPages(tenant, sourceId, pages);
  return sourceId;
}

const addPages = (tenant: TestTenant, sourceId: string, pages: Page[]) =>
  inside(tenant.tenantId, async ({ tx }) => {
    for (const { title, language, chunks, location } of pages) {
      const id = newId('knowledgeDocument');
      const row = { id, sourceId, location: location ?? title, title, language, syncId: 'x' };
      await tx.insertInto('knowledgeDocuments').values(row).execute();
      await saveChunks(tx, { id, sourceId }, indexChunks({ title, language }, chunks));
    }
    await countTokens(tx, sourceId);
  });

const english: Page[] = [
  {
    title: 'Refunds',
    language: 'en',
    location: 'https://example.com/refunds',
    chunks: [
      {
        heading: 'How long it takes',
        body: 'We pay the **refund** within five working days after the kettle arrives.',
      },
      { heading: 'Who pays for postage', body: 'The label in the box is free. You pay nothing for the parcel.' },
    ],
  },
  {
    title: 'Accounts',
    language: 'en-GB',
    chunks: [
      {
        heading: 'Passwords',
        body: 'Choose *Forgotten password* on the page where you sign in, and we send an email.',
      },
      { heading: 'Subscriptions', body: 'You end your subscription in the settings. It runs until the month is over.' },
      { heading: 'Invoices', body: 'Every invoice lies under [Documents](https://example.com/documents) as a PDF.' },
    ],
  },
  {
    title: 'Kettles',
    language: 'en',
    chunks: [
      {
        heading: 'Descaling',
        body: 'Fill the kettle with water and citric acid, boil it, and wait for twenty minutes.',
      },
      { heading: 'Where can I buy spare lids?', body: 'Spare lids are sold in our shop and by post.' },
      { heading: 'Warranty', body: 'The warranty of the AX-200 kettle ends after three years.' },
    ],
  },
];
const german: Page[] = [
  {
    title: 'Rückgabe',
    language: 'de',
    chunks: [
      { heading: 'Rückerstattung', body: 'Die Rückerstattung erfolgt innerhalb von fünf Werktagen auf dein Konto.' },
      { heading: 'Frist', body: 'Du hast dreißig Tage Zeit, um die Schuhe zurückzuschicken.' },
    ],
  },
  {
    title: 'Bestellen',
    language: 'de',
    chunks: [
      {
        heading: 'Deine Bestellnummer',
        body: 'Die Bestellnummer steht oben in der Mail, mit der wir alles bestätigen.',
      },
      { heading: 'Lieferung', body: 'Wir liefern die Häuser der Kinder in zwei großen Kartons.' },
      { heading: 'Öl', body: 'Leder braucht einmal im Jahr etwas davon.' },
      { heading: 'Schuhgrößen', body: 'Miss deinen Fuß und vergleiche mit der Tabelle.' },
    ],
  },
];

let tenant: TestTenant;
let sources: string[];
const ask = (question: string, among = sources, options: SearchOptions = {}) =>
  inside(tenant.tenantId, ({ tx }) => search(tx, among, question, options));
const firstHeading = async (question: string, among = sources) => (await ask(question, among)).chunks[0]?.heading;

beforeAll(async () => {
  tenant = await aTenant();
  sources = [await aSource(tenant, english), await aSource(tenant, german)];
});

describe('ranks the right chunk first', () => {
  test.each([
    ['English stems', 'How do I cancel my subscriptions?', 'Subscriptions'],
    ['German stems, among English documents', 'Liefert ihr auch das Haus für ein Kind?', 'Lieferung'],
    ['a typing error', 'how does desclaing the kettel work', 'Descaling'],
    ['the first two letters swapped', 'where do i find an nivoice', 'Invoices'],
    ['a compound that only the question has', 'Wo steht meine Kundenbestellnummer?', 'Deine Bestellnummer'],
    ['a part of a compound', 'Wo finde ich die Nummer?', 'Deine Bestellnummer'],
    ['no umlauts on the keyboard', 'Welches Oel?', 'Öl'],
    ['no umlauts in a long word', 'Wann kommt die Rueckerstattung?', 'Rückerstattung'],
    ['a synonym', 'When do I get my money back?', 'How long it takes'],
    ['a German synonym', 'Wann bekomme ich mein Geld zurück?', 'Rückerstattung'],
    ['a name with a hyphen, written without', 'how long is the warranty of the AX200', 'Warranty'],
    ['nearly the question of a question-and-answer pair', 'where can i buy a spare lid', 'Where can I buy spare lids?'],
    ['a link label, without its URL', 'documents with my invoice as pdf', 'Invoices'],
  ])('%s', async (_, question, heading) => {
    const { chunks, isConfident } = await ask(question);
    expect(chunks[0]?.heading).toBe(heading);
    expect(isConfident).toBe(true);
  });

  test('ignores greetings and politeness', async () => {
    const plain = await ask('descaling the kettle');
    const polite = await ask('Hi there! Could you please tell me about descaling the kettle? Thanks a lot');
    expect(polite).toEqual(plain);
  });

  test('prefers the language of the question', async () => {
    const both = await aSource(tenant, [
      { title: 'Trixomat', language: 'en', chunks: [{ heading: '', body: 'The Trixomat is made of steel.' }] },
      {
        title: 'Trixomat',
        language: 'de',
        location: '2',
        chunks: [{ heading: '', body: 'Der Trixomat ist aus Stahl.' }],
      },
    ]);
    const first = async (question: string, language?: string) =>
      (await ask(question, [both], { languages: language ? [language] : [] })).chunks[0]?.body;
    expect(await first('What is it with the Trixomat?')).toContain('steel');
    expect(await first('Was ist mit dem Trixomat?')).toContain('Stahl');
    expect(await first('Trixomat', 'en')).toContain('steel');
    expect(await first('Trixomat', 'de')).toContain('Stahl');
  });
});

test('finds an expression whose tokens are apart, and not what its tokens mean alone', async () => {
  const tenant = await aTenant();
  const chunks = [
    { heading: 'Delivery', body: 'Delivery of a bike takes two to four days. A carrier brings it.' },
    { heading: 'Returns', body: 'Return what you do not like within 30 days, unused and in its box.' },
  ];
  const id = await aSource(tenant, [{ title: 'Help', language: 'en', chunks }]);
  const { chunks: found } = await inside(tenant.tenantId, ({ tx }) =>
    search(tx, [id], 'How long can I send a bike back?', { languages: ['en'] }),
  );
  expect(found[0]?.heading).toContain('Returns');
});

test('returns the position, the page, and a URL only for web pages', async () => {
  const [refund] = (await ask('refund after how many working days')).chunks;
  expect(refund).toMatchObject({
    title: 'Refunds',
    place: 0,
    sourceId: sources[0],
    url: 'https://example.com/refunds',
  });
  expect((await ask('descaling')).chunks[0]?.url).toBeNull();
  expect((await ask('kettle', sources, { max: 2 })).chunks).toHaveLength(2);
});

test.each([
  'Do you sell lawn mowers in Portugal?',
  'Who won the football game yesterday?',
  'Habt ihr auch Gitarren mit Nylonsaiten?',
  'What is the kettle population of Jupiter compared with Saturn?',
  'Do you repair guitars and violins in your shop?',
  'How many subscriptions does the museum sell?',
])('is not confident if the sources have no answer: %s', async (question) => {
  expect((await ask(question)).isConfident).toBe(false);
});

test('finds the same when a question is asked again', async () => {
  const question = 'how does desclaing the kettel work';
  const first = await ask(question);
  expect(await ask(question)).toEqual(first);
});

test('finds what was added since a question was first asked, as if it had not been asked before', async () => {
  const brush: Page = {
    title: 'Flumbert',
    language: 'en',
    chunks: [{ heading: 'Cleaning', body: 'Clean the flumbert with a soft brush.' }],
  };
  const source = await aSource(tenant, english);
  const question = 'how do I clean the flumbert?';
  expect((await ask(question, [source])).isConfident).toBe(false);
  await addPages(tenant, source, [brush]);
  const withoutIds = ({ chunks, isConfident }: Awaited<ReturnType<typeof ask>>) => ({
    isConfident,
    chunks: chunks.map(({ heading, score, matched }) => ({ heading, score, matched })),
  });
  const found = withoutIds(await ask(question, [source]));
  expect(found.chunks[0]?.heading).toBe('Cleaning');
  expect(found).toEqual(withoutIds(await ask(question, [await aSource(tenant, [...english, brush])])));
});

describe('isolation', () => {
  test('searches only the given sources', async () => {
    expect(await firstHeading('Rückerstattung')).toBe('Rückerstattung');
    expect((await ask('Rückerstattung', sources.slice(0, 1))).chunks).toEqual([]);
    const more = await aSource(tenant, [
      { title: 'More', language: 'en', chunks: [{ heading: 'Kettle', body: 'Every kettle is a kettle.' }] },
    ]);
    expect((await ask('kettle', [more])).chunks.map(({ sourceId }) => sourceId)).toEqual([more]);
    expect((await ask('kettle')).chunks.map(({ sourceId }) => sourceId)).not.toContain(more);
    expect(await ask('Rückerstattung', [])).toEqual({ chunks: [], isConfident: false });
  });

  test("never finds another tenant's chunks, even with its source ids", async () => {
    const other = await aTenant();
    const foreign = await aSource(other, [
      { title: 'Secret', language: 'en', chunks: [{ heading: 'Plans', body: 'The zeppelin flies in May.' }] },
    ]);
    expect((await ask('zeppelin', [...sources, foreign])).chunks).toEqual([]);
    const own = await inside(other.tenantId, ({ tx }) => search(tx, [foreign], 'zeppelin'));
    expect(own.chunks[0]?.body).toContain('zeppelin');
  });
});

describe('accepts any input without an error', () => {
  test.each([
    ['nothing', '', false],
    ['operators of the query language', "' | & ! :* \\ <-> () refund", true],
    ['SQL', "refund'; drop table knowledge_chunks; --", true],
    ['invalid characters', '\0refund\uD800 \u202E', true],
    ['only emoji', '💸💸💸', false],
    ['an emoji', '💸 refund?', true],
    ['only stop words', 'the and of to', false],
    ['only politeness', 'please', false],
    ['a script without spaces', '退款需要多长时间', false],
    ['wildcards', '_%_%_% refund \\\\', true],
    ['4,000 characters of one word repeated', 'refund '.repeat(571), true],
    ['4,000 characters without a space', 'x'.repeat(4_000), false],
    ['700 unknown words', Array.from({ length: 700 }, (_, n) => `w${n}`).join(' '), false],
    ['markup', '<script>alert(1)</script> ${7*7} {{refund}}', true],
  ])('%s', async (_, question, isFound) => {
    const { chunks } = await ask(question);
    expect(chunks.length > 0).toBe(isFound);
  });

  test('returns nothing for a source without tokens', async () => {
    const empty = await aSource(tenant, []);
    expect(await ask('refund', [empty])).toEqual({ chunks: [], isConfident: false });
  });
});
