import { expect, test } from 'vitest';
import { checkRatios, lastAccepted, type AcceptedRun, type RatioCheck } from '../../../../bench/figures/history.ts';
import { inWords, result } from '../../../../bench/figures/result.ts';
import { takeTurns } from '../../../../bench/figures/stats.ts';
import { pageOf } from '../../../../bench/figures/page.ts';

const line = (run: Partial<AcceptedRun>) =>
  JSON.stringify({ date: '2026-11-19', commit: 'abc', machine: '2 × X', ratios: { request: 1.5, turn: 2 }, ...run });
const accepted = JSON.parse(line({})) as AcceptedRun;

/** Returns these ratios, one after the other. */
function aCheck(name: string, ratios: number[]) {
  const rest = [...ratios];
  const check: RatioCheck = { name, measure: async () => rest.shift() ?? Number.NaN };
  return { check, left: () => rest.length };
}

test('a ratio fails if it is worse by more than 15 % in three rounds', async () => {
  const verdicts = await checkRatios([aCheck('request', [1.73, 1.8, 9]).check, aCheck('turn', [2]).check], accepted);
  expect(verdicts).toMatchObject([
    { name: 'request', isWorse: true, ratio: 1.8 }, // the median
    { name: 'turn', isWorse: false },
  ]);
});

test('a ratio passes if it is within 15 % in one of three rounds, and is not measured again', async () => {
  const [request, turn] = [aCheck('request', [9, 1.72, 9]), aCheck('turn', [2.29, 9, 9])];
  const verdicts = await checkRatios([request.check, turn.check], accepted);
  expect(verdicts.map(({ isWorse }) => isWorse)).toEqual([false, false]);
  expect([request.left(), turn.left()]).toEqual([1, 2]);
});

test('a handler that takes 10 % longer passes, one that takes 30 % longer fails', async () => {
  const slowed = async (share: number) =>
    (
      await checkRatios(
        [
          aCheck(
            'turn',
            [2, 2, 2].map((ratio) => ratio * (1 + share)),
          ).check,
        ],
        accepted,
      )
    )[0]?.isWorse;
  expect(await slowed(0.1)).toBe(false);
  expect(await slowed(0.3)).toBe(true);
});

test('a ratio that could not be measured fails', async () => {
  expect(await checkRatios([aCheck('request', []).check], accepted)).toMatchObject([{ isWorse: true }]);
});

test('a ratio that is new, or on a new kind of machine, passes', async () => {
  expect(await checkRatios([aCheck('new', [0.1]).check], accepted)).toMatchObject([{ isWorse: false, ratios: [0.1] }]);
  expect(await checkRatios([aCheck('request', [0.1]).check], undefined)).toMatchObject([{ isWorse: false }]);
});

test('accepting measures all ratios three times', async () => {
  const request = aCheck('request', [0.9, 0.7, 0.8]);
  const [verdict] = await checkRatios([request.check], undefined, { isExact: true });
  expect(verdict).toMatchObject({ ratios: [0.9, 0.7, 0.8], ratio: 0.8 });
});

test('the last accepted run of the same kind of machine counts', () => {
  const history = [line({ commit: 'a' }), line({ commit: 'b' }), line({ commit: 'c', machine: '4 × X' }), ''].join(
    '\n',
  );
  expect(lastAccepted(history, '2 × X')?.commit).toBe('b');
  expect(lastAccepted(history, '8 × Y')).toBeUndefined();
  expect(lastAccepted('', '2 × X')).toBeUndefined();
});

test('the goal is for the ratio if there is one, otherwise for the value', () => {
  const figure = { name: 'a turn', value: 35.44, unit: 'ms', rounds: 3 };
  expect(result({ ...figure, goal: { atMost: 30 } }).isMet).toBe(false);
  const compared = result({ ...figure, peer: { name: 'a call', value: 20 }, ratio: 1.772, goal: { atMost: 1.8 } });
  expect(compared.isMet).toBe(true);
  expect(inWords(compared)).toBe('a turn: 35.4 ms; a call 20 ms; ratio 1.77; goal at most 1.80: met');
});

test('the ratio is the median of the rounds, so that one disturbed round does not change it', async () => {
  const [ours, peer] = [
    [10, 80, 12],
    [10, 10, 10],
  ];
  const turns = await takeTurns(3, { ours: async () => ours?.shift() ?? 0, peer: async () => peer?.shift() ?? 0 });
  expect(turns.ratio('ours', 'peer')).toBe(1.2);
});

test('the page of figures says what was not met, and when and where each run was', () => {
  const run = { name: 'keys', date: '2026-11-15', commit: 'abc', machine: null, seconds: null };
  const results = [
    result({
      name: 'a | b',
      value: 28_018,
      unit: 'requests/s',
      peer: { name: 'bare', value: 42_992 },
      ratio: 0.656,
      goal: { atLeast: 0.7 },
      rounds: 5,
    }),
  ];
  const page = pageOf({ chat: 'Chat', keys: 'API keys' }, [{ ...run, results }]);
  expect(page).toContain('## API keys\n\n`npm run bench -- keys`, 2026-11-15, commit abc');
  expect(page).toContain(
    '| a \\| b | 28,018 requests/s | bare: 42,992 requests/s | 0.66 | at least 0.70: **not met** |',
  );
});
