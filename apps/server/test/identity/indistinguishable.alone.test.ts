import { expect, test } from 'vitest';
import { anAddress, manyAccounts, sendFrom, wrongPassword } from './accounts-fixture.ts';

// By the clock, so with the machine for itself: what else is the same is in indistinguishable.int.test.ts.

const samples = Number(process.env['TIMING_SAMPLES'] ?? 120);
const attempts = 3; // what is the same is the same in one of three runs

let made = 0;
const nobody = () => `nobody-${++made}@example.com`;

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/**
 * Both kinds in turn, and in turn first: whatever else the machine does happens to both, and what one leaves behind for
 * the next is left to both.
 */
async function compare(count: number, known: () => Promise<unknown>, unknown: () => Promise<unknown>) {
  const clock = async (work: () => Promise<unknown>) => {
    const began = performance.now();
    await work();
    return performance.now() - began;
  };
  const [of, ofNobody]: [number[], number[]] = [[], []];
  for (let n = -20; n < count; n++) {
    const isKnownFirst = n % 2 === 0;
    const first = await clock(isKnownFirst ? known : unknown);
    const second = await clock(isKnownFirst ? unknown : known);
    if (n < 0) continue; // warm
    of.push(isKnownFirst ? first : second);
    ofNobody.push(isKnownFirst ? second : first);
  }
  return { known: median(of), unknown: median(ofNobody) };
}

const timed = [
  { name: 'a wrong password', path: '/auth/login', more: { password: wrongPassword }, status: 401, factor: 1 },
  { name: 'a forgotten password', path: '/auth/password/forgot', more: {}, status: 202, factor: 4 }, // brief, so more of it
];
test.each(timed)(
  '$name: the clock does not tell who is known: medians within five per cent',
  { timeout: 600_000 },
  async ({ name, path, more, status, factor }) => {
    // Each of its own, from an address of its own: no lock interferes.
    const emails = await manyAccounts((samples * factor + 20) * attempts);
    const send = async (email: string) => {
      const { statusCode } = await sendFrom(anAddress(), path, { email, ...more });
      if (statusCode !== status) throw new Error(`answered ${statusCode}`);
    };
    let ratio = Infinity;
    for (let attempt = 0; attempt < attempts && Math.abs(ratio - 1) > 0.05; attempt++) {
      const { known, unknown } = await compare(
        samples * factor,
        () => send(emails.pop() ?? ''),
        () => send(nobody()),
      );
      ratio = known / unknown;
      console.log(
        `indistinguishable: ${name}, ${samples * factor} each: median ${known.toFixed(2)} ms known, ${unknown.toFixed(2)} ms unknown, ratio ${ratio.toFixed(3)}`,
      );
    }
    expect(Math.abs(ratio - 1)).toBeLessThanOrEqual(0.05);
  },
);
