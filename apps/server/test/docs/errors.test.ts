import { describe, expect, test } from 'vitest';
import { nextStepFor, nextSteps } from '../../../docs/src/errors/next-steps.ts';
import { rateWords, ratesOf } from '../../../docs/src/reference/rates.ts';
import { dynamic, reasonsOf, serverSources, type Source } from '../../../docs/src/errors/reasons.ts';

// The page of errors is made from the code. These hold that nothing escapes it, and that each reason says what to do.

const sources = serverSources();
const reasons = reasonsOf(sources);

describe('the page of errors', () => {
  test('says what to do about every reason that the service can answer with', () => {
    expect(reasons.length).toBeGreaterThan(150);
    expect(reasons.filter(({ reason }) => !nextStepFor(reason)).map(({ reason }) => reason)).toEqual([]);
  });

  test('says nothing about reasons that are gone', () => {
    const known = new Set(reasons.map(({ reason }) => reason));
    expect(Object.keys(nextSteps).filter((reason) => !known.has(reason))).toEqual([]);
  });

  test('would miss what is made without a word of its own, so each such place is known', () => {
    const wordless =
      /\b(?:invalid|unauthorized|forbidden|conflict|unavailable|notFound|orNotFound|AppError)\(\s*(?!'|\.\.\.)[\w`]/;
    const places = sources
      .filter(({ file, text }) => file.endsWith('.ts') && (wordless.test(text) || /AppError\('\w+', (?!')/.test(text)))
      .map(({ file }) => file);
    expect(places).toEqual([
      'src/features/accounts/password/passwords.ts', // by `refuse`, which is read
      'src/features/knowledge/knowledge.service.ts',
      'src/features/webhooks/inbound.ts',
      'src/platform/db.ts', // by the names of constraints, which are read
      'src/platform/errors.ts', // the makers themselves
    ]);
    for (const file of Object.keys(dynamic)) expect(places).toContain(file);
  });

  test('would show a new one', () => {
    const added: Source = { file: 'src/x.ts', text: "throw conflict(\n  'too_tired',\n  'Sleep first.',\n);" };
    const found = reasonsOf([...sources, added]).find(({ reason }) => reason === 'too_tired');
    expect(found).toEqual({ code: 'CONFLICT', status: 409, reason: 'too_tired' });
    expect(nextStepFor('too_tired')).toBeUndefined();
  });
});

test('the page of limits says in words what each limit on how often counts, and no other', () => {
  const names = ratesOf(sources).map(({ name }) => name);
  expect(names.length).toBeGreaterThan(20);
  expect(Object.keys(rateWords).toSorted()).toEqual(names);
});
