import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countOf, seedFrom } from '../../../../tools/testing/size.ts';
import { extract } from '../../src/features/conversations/slots.ts';
import { wantedWords, wordsOf as spokenWords } from '../../src/features/conversations/words.ts';
import { toPassages } from '../../src/features/knowledge/cutting.ts';
import { partsKnown, partsOf } from '../../src/features/knowledge/passages-compounds.ts';
import { headingsWithin, joinedWords, toPlainText, wordsOf } from '../../src/features/knowledge/passages-words.ts';
import { unitsOf } from '../../src/features/knowledge/quote-blocks.ts';
import { linksFrom } from '../../src/features/knowledge/quote-links.ts';
import { quote } from '../../src/features/knowledge/quote.ts';
import { decode } from '../../src/features/knowledge/reading/decode.ts';
import { languageOf } from '../../src/features/knowledge/reading/language.ts';
import { tidy } from '../../src/features/knowledge/reading/markdown.ts';
import { sniff } from '../../src/features/knowledge/reading/sniff.ts';
import { expectedIn } from '../../src/features/knowledge/search-expected.ts';
import type { Found } from '../../src/features/knowledge/search.ts';
import { scrub } from '../../src/features/operations/invocation-words.ts';
import { redact } from '../../src/platform/telemetry.ts';

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
const fields = [field({ format: 'email' }), field({ format: 'date' }), field({ type: 'number' })];

const readers: Record<string, (text: string) => unknown> = {
  toPlainText,
  headingsWithin,
  wordsOf,
  joinedWords,
  'toPassages, and the words of each': (text) =>
    toPassages(text, 'Title').map(({ body }) => [wordsOf(toPlainText(body)), joinedWords(body)]),
  partsOf: (text) => wordsOf(text).map((word) => partsOf(word, known)),
  unitsOf: (text) => unitsOf(text, 'en'),
  linksFrom: (text) => linksFrom(found(text)),
  quote: (text) => quote('how long does delivery take?', [found(text)], { language: 'en' }),
  expectedIn,
  'extract slots': (text) => extract(fields, text, {}),
  'words of a conversation': spokenWords,
  wantedWords,
  languageOf,
  tidy,
  decode: (text) => decode(Buffer.from(text), 'text/html', true),
  sniff: (text) => sniff({ bytes: Buffer.from(text), mediaType: 'text/plain' }),
  scrub,
  redact,
};

/** What marks, addresses and words begin with, and never end. */
const beginnings = [
  [
    '[',
    '![',
    '[](',
    '[a](',
    '](',
    '[a][',
    '[a]: ',
    '<',
    '<a',
    '<a:',
    '</',
    '<!--',
    '<!---->',
    '<?xml',
    '<meta charset',
  ],
  ['(', ')', '(a', '"', '“', '`', '```', '\n```', '~~~', '*', '**', '**a', '_', '|', '|-', '\n|-|', '| a '],
  ['#', '# ', '\n# ', '\n- ', '\n1. ', '>', '\n', '\n\n', ' ', '\t', ' \n', '\r\n', '\0'],
  ['a', 'a-', '-', 'a.', 'a. ', 'A. b', '. A', 'a:', 'a@', '@', '@a.', 'eyJ', 'eyJ-', 'sc_live_', 'http://', 'www.'],
  ['&', '&#1', '\\', '1', '1,', '2026-01-', 'é', 'e\u0301', '字', '字。', 'ا', 'ß', '\u200d', '!', '?', 'charset='],
].flat();
const length = 3_000;
const times = 8;
/** Below it a measurement says more about the machine than about the text. */
const floorMs = 30;

const ofLength = (unit: string, end: string, size: number) =>
  unit.repeat(Math.ceil(size / unit.length)).slice(0, size) + end;

/** The processor's time, since the machine may be busy with something else; the least of a few, since it may be ours. */
function costMs(read: (text: string) => unknown, text: string): number {
  let least = Infinity;
  for (let round = 0; round < 4 && least > floorMs / times; round++) {
    const began = process.cpuUsage();
    try {
      read(text);
    } catch {
      // what cannot be read was still looked at
    }
    const { user, system } = process.cpuUsage(began);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
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
    if (attempt === 3) expect(ratio, what).toBeLessThanOrEqual(12);
  }
}

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
