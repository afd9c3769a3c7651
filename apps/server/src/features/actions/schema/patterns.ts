import type { Schema } from '../actions.contract.ts';

// RE2 matches in linear time, but expands repeats when it compiles: a{1000} sixty times is a program of sixty thousand
// instructions and takes seconds to compile. So the size of the program is estimated first, from the pattern alone.

const counted = /\{(\d{1,9})(,(\d{0,9}))?\}/y;

/** Flags only, not a group: a repeat after it applies to what comes before it. */
const flags = /\(\?[a-zA-Z-]*\)/y;

/** Instructions of all patterns in a schema together: about 12 ms to compile. */
export const maxProgramSize = 2_000;

interface Group {
  size: number;
  /** Size of its last item, which a repeat would apply to. */
  last: number;
}

/** An upper bound for the size of the compiled program, in one pass; Infinity for syntax that this does not parse. */
export function estimateProgramSize(pattern: string): number {
  if (/\\Q|\[:/.test(pattern)) return Infinity; // \Q literals and POSIX classes
  const groups: Group[] = [{ size: 0, last: 0 }];
  const add = (size: number) => {
    const group = groups.at(-1)!;
    group.size += group.last;
    group.last = size;
  };
  const close = () => {
    const { size, last } = groups.pop() ?? { size: 0, last: 0 };
    if (groups.length === 0) groups.push({ size: 0, last: 0 });
    add(size + last + 3); // two capture instructions, and a no-op when it is empty
  };
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at];
    if (char === '\\') {
      at++;
      add(1);
    } else if (char === '[') {
      at = endOfClass(pattern, at);
      add(1);
    } else if (char === '(') {
      flags.lastIndex = at;
      const [only] = flags.exec(pattern) ?? [];
      if (only === undefined) groups.push({ size: 0, last: 0 });
      else at += only.length - 1;
    } else if (char === ')') close();
    else if (char === '{') {
      counted.lastIndex = at;
      const [whole, min = '', hasMax, max = ''] = counted.exec(pattern) ?? [];
      if (whole === undefined) add(1);
      else {
        const times = hasMax === undefined || max !== '' ? Math.max(Number(min), Number(max)) : Number(min) + 1;
        groups.at(-1)!.last = (groups.at(-1)!.last + 1) * Math.max(1, times);
        at += whole.length - 1;
      }
    } else if (char === '*' || char === '+' || char === '?') groups.at(-1)!.last += 2;
    else add(1);
  }
  while (groups.length > 1) close();
  return groups.reduce((sum, { size, last }) => sum + size + last, 4);
}

/** A ] right after the bracket is a literal character. */
function endOfClass(pattern: string, from: number): number {
  let at = from + 1;
  if (pattern[at] === '^') at++;
  if (pattern[at] === ']') at++;
  while (at < pattern.length && pattern[at] !== ']') at += pattern[at] === '\\' ? 2 : 1;
  return at;
}

/** All patterns of a schema and its subschemas. */
export function patternsIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const { pattern, patternProperties } = part as Schema;
  return [
    ...(typeof pattern === 'string' ? [pattern] : []),
    ...(typeof patternProperties === 'object' && patternProperties !== null ? Object.keys(patternProperties) : []),
    ...Object.values(part).flatMap(patternsIn),
  ];
}
