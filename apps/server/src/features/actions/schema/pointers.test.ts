import { describe, expect, test } from 'vitest';
import { at, fill, holds, stepsIn } from './pointers.ts';

describe('at', () => {
  const data = {
    input: { 'a/b': 1, 'm~n': 2, '': 3, '~1': 4, list: ['x', { y: [null] }], none: null, zero: 0 },
    steps: { find: { total: 5 }, '0': 'zero' },
  };

  test.each([
    ['/input/a~1b', 1],
    ['/input/m~0n', 2],
    ['/input/', 3],
    ['/input/~01', 4], // ~01 is ~1 and not /
    ['/input/list/0', 'x'],
    ['/input/list/1/y/0', null],
    ['/input/none', null],
    ['/input/zero', 0],
    ['/steps/find/total', 5],
    ['/steps/0', 'zero'],
    ['', data],
  ])('%s returns the value', (pointer, value) => {
    expect(at(data, pointer)).toEqual(value);
  });

  test.each([
    '/input/list/2',
    '/input/list/-',
    '/input/list/00',
    '/input/list/length',
    '/input/list/1.0',
    '/input/constructor',
    '/input/toString',
    '/input/__proto__',
    '/input/hasOwnProperty/name',
    '/input/list/map',
    '/input/zero/toFixed',
    '/input/none/a',
    '/steps/find/total/a',
    '/other',
  ])('%s returns undefined, as only own properties count', (pointer) => {
    expect(at(data, pointer)).toBeUndefined();
  });
});

describe('fill', () => {
  test('maps results and fixed values, and omits fields whose source is missing', () => {
    const data = { input: { id: 'A-1', none: null }, steps: { find: { total: 5 } } };
    expect(
      fill(
        {
          order: { from: '/input/id' },
          sum: { from: '/steps/find/total' },
          all: { from: '/steps/find' },
          none: { from: '/input/none' },
          fixed: { value: 'EUR' },
          missing: { from: '/steps/find/nothing' },
        },
        data,
      ),
    ).toEqual({ order: 'A-1', sum: 5, all: { total: 5 }, none: null, fixed: 'EUR' });
  });

  test('stepsIn lists the steps of a mapping and of a condition', () => {
    expect(stepsIn({ a: { from: '/steps/one/x' }, b: { from: '/input/x' }, c: { value: 1 } })).toEqual(['one']);
    expect(stepsIn({}, { from: '/steps/two', exists: true })).toEqual(['two']);
  });
});

describe('holds', () => {
  const data = { input: { size: 'L', none: null, zero: 0, text: '0' }, steps: {} };
  test.each([
    [{ from: '/input/size', equals: 'L' }, true],
    [{ from: '/input/size', equals: 'l' }, false],
    [{ from: '/input/zero', equals: 0 }, true],
    [{ from: '/input/zero', equals: false }, false],
    [{ from: '/input/text', equals: 0 }, false],
    [{ from: '/input/missing', equals: null }, false],
    [{ from: '/input/size', differs: 'M' }, true],
    [{ from: '/input/size', differs: 'L' }, false],
    [{ from: '/input/missing', differs: 'L' }, true],
    [{ from: '/input/size', exists: true }, true],
    [{ from: '/input/none', exists: true }, false],
    [{ from: '/input/missing', exists: false }, true],
    [{ from: '/input/zero', exists: false }, false],
    [undefined, true],
  ])('returns for %j: %s', (condition, expected) => {
    expect(holds(condition, data)).toBe(expected);
  });
});
