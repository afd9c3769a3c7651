import type { Condition, Mapping } from '../actions.contract.ts';

/** What pointers look into: what was asked for, and what each step has brought. */
export interface Known {
  input: unknown;
  steps: Record<string, unknown>;
}

/** RFC 6901. Only what is there by itself: nothing is inherited. */
export function at(known: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, part) => {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
      if (Array.isArray(value) && part === 'length') return undefined;
      return (value as Record<string, unknown>)[part];
    }, known);
}

/** A field whose source is not there is left out: the schema says whether that is allowed. */
export const fill = (mapping: Mapping, known: Known): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(mapping)
      .map(([field, source]) => [field, 'from' in source ? at(known, source.from) : source.value] as const)
      .filter(([, value]) => value !== undefined),
  );

export function holds(condition: Condition | undefined, known: Known): boolean {
  if (!condition) return true;
  const value = at(known, condition.from);
  if ('exists' in condition) return (value !== undefined && value !== null) === condition.exists;
  return 'equals' in condition ? value === condition.equals : value !== condition.differs;
}

/** The steps that a mapping or a condition refers to. */
export const stepsIn = (mapping: Mapping, condition?: Condition): string[] =>
  [...Object.values(mapping), ...(condition ? [condition] : [])].flatMap((source) => {
    const name = 'from' in source ? /^\/steps\/([^/]+)/.exec(source.from)?.[1] : undefined;
    return name === undefined ? [] : [name];
  });
