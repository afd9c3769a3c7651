import { expect, test } from 'vitest';
import { anIp, manyAccounts, sendFrom, wrongPassword } from './accounts-fixture.ts';
import { countOf } from '../../../../tools/testing/size.ts';

// By the clock, so with the machine for itself: what else is the same is in indistinguishable.isolated.test.ts.

const samples = countOf('TIMING_SAMPLES', { sample: 120, full: 300 });
const maxRounds = 3; // on a busy machine it takes more of them to tell

let made = 0;
const nobody = () => `nobody-${++made}@example.com`;

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/**
 * Both kinds in turn, and in turn first: whatever else the machine does happens to both, and what one leaves behind for
 * the next is left to both. Each is compared with the one beside it, so a machine that is slow for a while is so for both.
 */
async function compare(count: number, known: () => Promise<unknown>, unknown: () => Promise<unknown>) {
  const clock = async (work: () => Promise<unknown>) => {
    const began = performance.now();
    await work();
    return performance.now() - began;
  };
  const pairs: { known: number; unknown: number }[] = [];
  for (let n = -20; n < count; n++) {
    const isKnownFirst = n % 2 === 0;
    const first = await clock(isKnownFirst ? known : unknown);
    const second = await clock(isKnownFirst ? unknown : known);
    if (n < 0) continue; // warm
    pairs.push(isKnownFirst ? { known: first, unknown: second } : { known: second, unknown: first });
  }
  return pairs;
}

const timed = [
  { name: 'a wrong password', path: '/auth/login', more: { password: wrongPassword }, status: 401, factor: 1 },
  { name: 'a forgotten password', path: '/auth/password/forgot', more: {}, status: 202, factor: 4 }, // brief, so more of it
];
test.each(timed)(
  '$name: the clock does not tell who is known: within five per cent',
  { timeout: 900_000 },
  async ({ name, path, more, status, factor }) => {
    // Each of its own, from an address of its own: no lock interferes.
    const emails = await manyAccounts((samples * factor + 20) * maxRounds);
    const send = async (email: string) => {
      const { statusCode } = await sendFrom(anIp(), path, { email, ...more });
      if (statusCode !== status) throw new Error(`answered ${statusCode}`);
    };
    const pairs: Awaited<ReturnType<typeof compare>> = [];
    let ratio = Infinity;
    for (let round = 0; round < maxRounds && Math.abs(ratio - 1) > 0.05; round++) {
      pairs.push(
        ...(await compare(
          samples * factor,
          () => send(emails.pop() ?? ''),
          () => send(nobody()),
        )),
      );
      const [known, unknown] = [median(pairs.map((pair) => pair.known)), median(pairs.map((pair) => pair.unknown))];
      ratio = median(pairs.map((pair) => pair.known / pair.unknown));
      console.log(
        `indistinguishable: ${name}, ${pairs.length} each: median ${known.toFixed(2)} ms known, ${unknown.toFixed(2)} ms unknown, ratio of pairs ${ratio.toFixed(3)}`,
      );
    }
    expect(Math.abs(ratio - 1)).toBeLessThanOrEqual(0.05);
  },
);
