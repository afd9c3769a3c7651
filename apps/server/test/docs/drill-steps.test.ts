import { expect, test } from 'vitest';
import { steps } from '../../../../deploy/drill/steps.ts';
import { isForDrill, readPages } from './fences.ts';

test('every command of the self-hosting pages is a step of the drill, and every step is on a page', () => {
  const fences = readPages()
    .filter(isForDrill)
    .flatMap((page) => page.fences);
  const onPages = new Set(fences.flatMap(({ step }) => (step === undefined ? [] : [step])));
  expect([...onPages].toSorted()).toEqual([...steps].toSorted());
});
