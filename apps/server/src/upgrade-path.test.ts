import { expect, test } from 'vitest';
import { productVersion } from './platform/product-version.ts';
import { checkUpgrade, upgradePath } from './upgrade-path.ts';

const known = ['0.1', '0.2', '0.9', '0.10', '1.0'];

test.each([
  ['0.1.0', '0.1.7', []],
  ['0.1.7', '0.2.0', []],
  ['0.10.2', '1.0.0', []],
  ['0.1.0', '0.9.1', ['0.2']],
  ['0.1.0', '1.0.0', ['0.2', '0.9', '0.10']],
  ['1.0.3', '1.1.0', []], // a release that is not in the list yet follows the last
])('from %s to %s, the stops are %j', (from, to, stops) => {
  expect(upgradePath(from, to, known)).toEqual(stops);
});

test('names the path to take, and refuses to go back', () => {
  expect(() => upgradePath('1.0.0', '0.10.0', known)).toThrow('roll back');
  expect(() => checkUpgrade('0.0.1', '0.2.0', () => {})).toThrow(
    '0.2.0 cannot follow 0.0.1 directly: the two cannot run at the same time. Upgrade to the latest 0.1.x, then to 0.2.0.',
  );
});

test('the list ends with this release', () => {
  expect(upgradePath('0.0.0', '999.0.0').at(-1)).toBe(/^\d+\.\d+/.exec(productVersion)?.[0]);
});
