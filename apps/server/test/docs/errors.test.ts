import { describe, expect, test } from 'vitest';
import { nextStepFor, nextSteps } from '../../../docs/src/errors/next-steps.ts';
import { rateLabels, ratesOf } from '../../../docs/src/reference/rates.ts';
import { dynamic, reasonsOf, serverSources, type Source } from '../../../docs/src/errors/reasons.ts';

// The errors page is generated from the code. These tests show that it is complete, and that each reason has a next step.

const sources = serverSources();
const reasons = reasonsOf(sources);

describe('the errors page', () => {
  test('has a next step for every reason that the service can return', () => {
    expect(reasons.length).toBeGreaterThan(150);
    expect(reasons.filter(({ reason }) => !nextStepFor(reason)).map(({ reason }) => reason)).toEqual([]);
  });

  test('has no next steps for reasons that do not exist', () => {
    const known = new Set(reasons.map(({ reason }) => reason));
    expect(Object.keys(nextSteps).filter((reason) => !known.has(reason))).toEqual([]);
  });

  test('knows every place that creates an error without a literal reason', () => {
    const withoutLiteral =
      /\b(?:invalid|unauthorized|forbidden|conflict|unavailable|notFound|orNotFound|AppError)\(\s*(?!'|\.\.\.)[\w`]/;
    const places = sources
      .filter(
        ({ file, text }) => file.endsWith('.ts') && (withoutLiteral.test(text) || /AppError\('\w+', (?!')/.test(text)),
      )
      .map(({ file }) => file);
    expect(places).toEqual([
      'src/features/accounts/password/passwords.ts', // by `refuse`, which is read
      'src/features/knowledge/knowledge.service.ts',
      'src/features/webhooks/inbound.ts',
      'src/platform/db.ts', // by constraint names, which are read
      'src/platform/errors.ts', // the factories themselves
    ]);
    for (const file of Object.keys(dynamic)) expect(places).toContain(file);
  });

  test('would list a new reason', () => {
    const added: Source = { file: 'src/x.ts', text: "throw conflict(\n  'too_tired',\n  'Sleep first.',\n);" };
    const found = reasonsOf([...sources, added]).find(({ reason }) => reason === 'too_tired');
    expect(found).toEqual({ code: 'CONFLICT', status: 409, reason: 'too_tired' });
    expect(nextStepFor('too_tired')).toBeUndefined();
  });
});

test('the limits page describes every rate limit, and no other', () => {
  const names = ratesOf(sources).map(({ name }) => name);
  expect(names.length).toBeGreaterThan(20);
  expect(Object.keys(rateLabels).toSorted()).toEqual(names);
});
