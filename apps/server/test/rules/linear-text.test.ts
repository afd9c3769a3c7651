import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countOf, seedFrom } from '../../../../tools/testing/size.ts';
import { extract } from '../../src/features/conversations/turn/slots.ts';
import { parseQuery, tokensOf as spokenWords } from '../../src/platform/search-tokens.ts';
import { indexChunks } from '../../src/features/knowledge/chunk/chunk-index.ts';
import { toChunks } from '../../src/features/knowledge/chunk/chunking.ts';
import { compoundParts, splitCompound } from '../../src/features/knowledge/chunk/compounds.ts';
import { headingsWithin, joinedTokens, toPlainText, tokensOf } from '../../src/features/knowledge/chunk/tokens.ts';
import { unitsOf } from '../../src/features/knowledge/quote/blocks.ts';
import { resolveLinks } from '../../src/features/knowledge/quote/links.ts';
import { quote } from '../../src/features/knowledge/quote/quote.ts';
import { decode } from '../../src/features/knowledge/ingest/reader/decode.ts';
import { languageOf } from '../../src/features/knowledge/ingest/reader/language.ts';
import { tidy } from '../../src/features/knowledge/ingest/reader/markdown.ts';
import { sniff } from '../../src/features/knowledge/ingest/reader/sniff.ts';
import { expectedIn } from '../../src/features/knowledge/search/expected.ts';
import type { SearchResult } from '../../src/features/knowledge/search/search.ts';
import { scrub } from '../../src/features/operations/invocations/describe.ts';
import { redact } from '../../src/platform/log-contents.ts';
import { openings } from './hostile-texts.ts';
import { renderMarkdown } from './widget-markdown.ts';

// Text of tenants and visitors must be processed in linear time, not quadratic: the process is shared by all tenants.
// `npm run check:regexes` checks each pattern on its own.

const found = (body: string): SearchResult => ({
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
const known = compoundParts('german', ['bestellung', 'nummer']) ?? new Set();
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
  splitCompound: (text) => tokensOf(text).map((word) => splitCompound(word, known)),
  unitsOf: (text) => unitsOf(text, 'en'),
  resolveLinks: (text) => resolveLinks(found(text)),
  quote: (text) => quote('how long does delivery take?', [found(text)], { language: 'en' }),
  expectedIn,
  'what an answer looks like': (text) =>
    everyExpectation.map(({ inText, inHeading }) => [inText.test(text), inHeading.test(text)]),
  'extract slots': (text) => extract(fields, text, {}),
  'words of a conversation': spokenWords,
  wantedTokens: parseQuery,
  languageOf,
  tidy,
  decode: (text) => decode(Buffer.from(text), 'text/html', true),
  sniff: (text) => sniff({ bytes: Buffer.from(text), mediaType: 'text/plain' }),
  scrub,
  redact,
  'Markdown of the widget': renderMarkdown,
};

const numRuns = countOf('LINEAR_RUNS', { sample: 10, full: 500 });
const timeout = 120_000 + 1_000 * numRuns;
const length = 3_000;
const times = 8;
/** Below this, a measurement says more about the machine than about the text. */
const floorMs = 30;

const ofLength = (unit: string, end: string, size: number) =>
  unit.repeat(Math.ceil(size / unit.length)).slice(0, size) + end;

/** CPU time, since the machine may be busy; the minimum of a few, since this process may be too. */
function costMs(read: (text: string) => unknown, text: string): number {
  let min = Infinity;
  for (let round = 0; round < 4 && min > floorMs / times; round++) {
    const startedAt = process.cpuUsage();
    try {
      read(text);
    } catch {
      // rejected input was processed too
    }
    const { user, system } = process.cpuUsage(startedAt);
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
    // Garbage collection can slow a run down; quadratic time shows in every attempt.
    if (attempt === 6) expect(ratio, what).toBeLessThanOrEqual(12);
  }
}

test('renders the widget’s Markdown here as in a browser', () => {
  expect(renderMarkdown('**a** [b](https://c.d)\n\n> - *e*')).toBe('a be and more');
});

describe.each(Object.keys(readers))('%s', (name) => {
  test('takes at most twelve times as long for eight times the text: repeated openings', () => {
    for (const unit of openings) expectLinear(name, unit, '');
  });

  test('the same for two or three openings in turn, with an end that does not match', { timeout }, () => {
    const unit = array(constantFrom(...openings), { minLength: 2, maxLength: 3 }).map((parts) => parts.join(''));
    assert(
      property(unit, constantFrom('', '\0', ']', '>', ')', ' x'), (one, end) => expectLinear(name, one, end)),
      { numRuns, seed: seedFrom('LINEAR_SEED') },
    );
  });
});
