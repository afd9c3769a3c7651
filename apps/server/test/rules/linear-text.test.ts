import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countOf, seedFrom } from '../../../../tools/testing/size.ts';
import { extract } from '../../src/features/conversations/turn/slots.ts';
import { parseQuery, tokensOf as spokenWords } from '../../src/features/conversations/search/tokens.ts';
import { indexChunks } from '../../src/features/knowledge/chunk/chunk-index.ts';
import { toChunks } from '../../src/features/knowledge/chunk/chunking.ts';
import { partsKnown, partsOf } from '../../src/features/knowledge/chunk/compounds.ts';
import { headingsWithin, joinedTokens, toPlainText, tokensOf } from '../../src/features/knowledge/chunk/tokens.ts';
import { unitsOf } from '../../src/features/knowledge/quote/blocks.ts';
import { linksFrom } from '../../src/features/knowledge/quote/links.ts';
import { quote } from '../../src/features/knowledge/quote/quote.ts';
import { decode } from '../../src/features/knowledge/ingest/reader/decode.ts';
import { languageOf } from '../../src/features/knowledge/ingest/reader/language.ts';
import { tidy } from '../../src/features/knowledge/ingest/reader/markdown.ts';
import { sniff } from '../../src/features/knowledge/ingest/reader/sniff.ts';
import { expectedIn } from '../../src/features/knowledge/search/expected.ts';
import type { Found } from '../../src/features/knowledge/search/search.ts';
import { scrub } from '../../src/features/operations/invocations/describe.ts';
import { redact } from '../../src/platform/telemetry.ts';
import { beginnings } from './hostile-texts.ts';
import { showMarkdown } from './widget-markdown.ts';

// Whatever a tenant or a visitor writes is read in a time that grows with its length and not with the square of it: the
// process that reads it is everybody's. `npm run check:regexes` says the same of each pattern by itself.

const found = (body: string): Found => ({
  sourceId: 'src',
  matched: [],
  documentId: 'doc',
  place: 0,
  title: 'Title',
  url: 'https://example.com/',
  heading: '',
  body,
  score: 1,
});
const known = partsKnown('german', ['bestellung', 'nummer']) ?? new Set();
const field = (schema: object) => ({ name: 'x', label: 'X', schema: { type: 'string', ...schema }, isRequired: true });
const fields = [
  field({ format: 'email' }),
  field({ format: 'date' }),
  field({ type: 'number' }),
  field({ enum: ['[a][a', '----'] }),
];

const everyExpectation = expectedIn('how long, how much, phone, address, email, how do I');

const readers: Record<string, (text: string) => unknown> = {
  toPlainText,
  headingsWithin,
  tokensOf,
  joinedTokens,
  'toChunks and indexChunks': (text) => indexChunks({ title: 'Title', language: 'de' }, toChunks(text, 'Title')),
  partsOf: (text) => tokensOf(text).map((word) => partsOf(word, known)),
  unitsOf: (text) => unitsOf(text, 'en'),
  linksFrom: (text) => linksFrom(found(text)),
  quote: (text) => quote('how long does delivery take?', [found(text)], { language: 'en' }),
  expectedIn,
  'what an answer looks like': (text) =>
    everyExpectation.map(({ given, headed }) => [given.test(text), headed.test(text)]),
  'extract slots': (text) => extract(fields, text, {}),
  'words of a conversation': spokenWords,
  wantedTokens: parseQuery,
  languageOf,
  tidy,
  decode: (text) => decode(Buffer.from(text), 'text/html', true),
  sniff: (text) => sniff({ bytes: Buffer.from(text), mediaType: 'text/plain' }),
  scrub,
  redact,
  'Markdown of the widget': showMarkdown,
};

const length = 3_000;
const times = 8;
/** Below it a measurement says more about the machine than about the text. */
const floorMs = 30;

const ofLength = (unit: string, end: string, size: number) =>
  unit.repeat(Math.ceil(size / unit.length)).slice(0, size) + end;

/** The processor's time, since the machine may be busy with something else; the least of a few, since it may be ours. */
function costMs(read: (text: string) => unknown, text: string): number {
  let min = Infinity;
  for (let round = 0; round < 4 && min > floorMs / times; round++) {
    const began = process.cpuUsage();
    try {
      read(text);
    } catch {
      // what cannot be read was still looked at
    }
    const { user, system } = process.cpuUsage(began);
    min = Math.min(min, (user + system) / 1_000);
  }
  return min;
}

function expectLinear(name: string, unit: string, end: string) {
  const read = readers[name]!;
  const what = `${name} of ${JSON.stringify(unit)} and ${JSON.stringify(end)}`;
  for (let attempt = 1; ; attempt++) {
    const long = costMs(read, ofLength(unit, end, times * length));
    if (long < floorMs) return;
    const ratio = long / costMs(read, ofLength(unit, end, length));
    if (ratio <= 12) return;
    // Memory is cleared now and then, at the cost of whoever runs: the square of a length is no such accident.
    if (attempt === 6) expect(ratio, what).toBeLessThanOrEqual(12);
  }
}

test('the Markdown of the widget is read here as it is in a browser', () => {
  expect(showMarkdown('**a** [b](https://c.d)\n\n> - *e*')).toBe('a be and more');
});

describe.each(Object.keys(readers))('%s', (name) => {
  test('eight times the text takes at most twelve times as long: nothing but beginnings', () => {
    for (const unit of beginnings) expectLinear(name, unit, '');
  });

  test('the same for two or three of them in turn, and an end that does not fit', () => {
    const unit = array(constantFrom(...beginnings), { minLength: 2, maxLength: 3 }).map((parts) => parts.join(''));
    assert(
      property(unit, constantFrom('', '\0', ']', '>', ')', ' x'), (one, end) => expectLinear(name, one, end)),
      { numRuns: countOf('LINEAR_RUNS', { sample: 10, full: 500 }), seed: seedFrom('LINEAR_SEED') },
    );
  });
});
