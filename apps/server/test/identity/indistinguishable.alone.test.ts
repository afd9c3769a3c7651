import { expect, test } from 'vitest';
import { anIp, manyAccounts, sendFrom, wrongPassword } from './accounts-fixture.ts';
import { countOf } from '../../../../tools/testing/size.ts';

// Measures time, so it runs alone. Everything else is compared in indistinguishable.isolated.test.ts.

const samples = countOf('TIMING_SAMPLES', { sample: 120, full: 300 });
const maxRounds = 3; // a busy machine may need several

let count = 0;
const anUnknownEmail = () => `unknown-${++count}@example.com`;

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/**
 * Alternates both kinds and their order, so that noise and side effects of the previous request affect both equally. Each
 * sample is compared with its neighbour, so that slow phases of the machine cancel out.
 */
async function compare(sampleCount: number, known: () => Promise<unknown>, unknown: () => Promise<unknown>) {
  const measureMs = async (work: () => Promise<unknown>) => {
    const startedAt = performance.now();
    await work();
    return performance.now() - startedAt;
  };
  const pairs: { known: number; unknown: number }[] = [];
  for (let n = -20; n < sampleCount; n++) {
    const isKnownFirst = n % 2 === 0;
    const first = await measureMs(isKnownFirst ? known : unknown);
    const second = await measureMs(isKnownFirst ? unknown : known);
    if (n < 0) continue; // warm-up
    pairs.push(isKnownFirst ? { known: first, unknown: second } : { known: second, unknown: first });
  }
  return pairs;
}

const timed = [
  { name: 'a wrong password', path: '/auth/login', more: { password: wrongPassword }, status: 401, factor: 1 },
  { name: 'a forgotten password', path: '/auth/password/forgot', more: {}, status: 202, factor: 4 }, // fast, so more samples
];
test.each(timed)(
  '$name: takes the same time for known and unknown accounts, within five percent',
  { timeout: 900_000 },
  async ({ name, path, more, status, factor }) => {
    // Each account and IP address is used once, so that no lockout interferes.
    const emails = await manyAccounts((samples * factor + 20) * maxRounds);
    const send = async (email: string) => {
      const { statusCode } = await sendFrom(anIp(), path, { email, ...more });
      if (statusCode !== status) throw new Error(`unexpected status ${statusCode}`);
    };
    const pairs: Awaited<ReturnType<typeof compare>> = [];
    let ratio = Infinity;
    for (let round = 0; round < maxRounds && Math.abs(ratio - 1) > 0.05; round++) {
      pairs.push(
        ...(await compare(
          samples * factor,
          () => send(emails.pop() ?? ''),
          () => send(anUnknownEmail()),
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
