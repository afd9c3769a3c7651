import type { Schema } from './actions.contract.ts';

// RE2 reads each letter once, but writes a repeat out before it does: a{1000} sixty times over is a program of sixty
// thousand steps, and takes seconds to make. So the size of the program is reckoned first, from the pattern alone.

const counted = /\{(\d{1,9})(,(\d{0,9}))?\}/y;

/** No group: what is repeated after it is what stood before. */
const flags = /\(\?[a-zA-Z-]*\)/y;

/** Of all patterns in a schema together. About 30 µs each to make. */
export const mostSteps = 2_000;

interface Group {
  steps: number;
  /** Of what stands last in it, and what a repeat would repeat. */
  last: number;
}

/** At least as many steps as the program of a pattern has, in one pass over it; Infinity where we could be misled. */
export function stepsOf(pattern: string): number {
  if (/\\Q|\[:/.test(pattern)) return Infinity; // literals and classes with rules of their own
  const groups: Group[] = [{ steps: 0, last: 0 }];
  const add = (steps: number) => {
    const group = groups.at(-1)!;
    group.steps += group.last;
    group.last = steps;
  };
  const close = () => {
    const { steps, last } = groups.pop() ?? { steps: 0, last: 0 };
    if (groups.length === 0) groups.push({ steps: 0, last: 0 });
    add(steps + last + 3); // its two ends, and something where it is empty
  };
  for (let at = 0; at < pattern.length; at++) {
    const sign = pattern[at];
    if (sign === '\\') {
      at++;
      add(1);
    } else if (sign === '[') {
      at = endOfClass(pattern, at);
      add(1);
    } else if (sign === '(') {
      flags.lastIndex = at;
      const [only] = flags.exec(pattern) ?? [];
      if (only === undefined) groups.push({ steps: 0, last: 0 });
      else at += only.length - 1;
    } else if (sign === ')') close();
    else if (sign === '{') {
      counted.lastIndex = at;
      const [whole, least = '', hasMost, most = ''] = counted.exec(pattern) ?? [];
      if (whole === undefined) add(1);
      else {
        const times = hasMost === undefined || most !== '' ? Math.max(Number(least), Number(most)) : Number(least) + 1;
        groups.at(-1)!.last = (groups.at(-1)!.last + 1) * Math.max(1, times);
        at += whole.length - 1;
      }
    } else if (sign === '*' || sign === '+' || sign === '?') groups.at(-1)!.last += 2;
    else add(1);
  }
  while (groups.length > 1) close();
  return groups.reduce((sum, { steps, last }) => sum + steps + last, 4);
}

/** A ] that stands first is one of its characters. */
function endOfClass(pattern: string, from: number): number {
  let at = from + 1;
  if (pattern[at] === '^') at++;
  if (pattern[at] === ']') at++;
  while (at < pattern.length && pattern[at] !== ']') at += pattern[at] === '\\' ? 2 : 1;
  return at;
}

/** Those of a schema, and of what is in it. */
export function patternsIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const { pattern, patternProperties } = part as Schema;
  return [
    ...(typeof pattern === 'string' ? [pattern] : []),
    ...(typeof patternProperties === 'object' && patternProperties !== null ? Object.keys(patternProperties) : []),
    ...Object.values(part).flatMap(patternsIn),
  ];
}
