import type { Condition, Mapping } from '../actions.contract.ts';

/** The data that pointers refer to: the input of a workflow and the output of each step. */
export interface WorkflowData {
  input: unknown;
  steps: Record<string, unknown>;
}

/** RFC 6901, for own properties only. */
export function at(data: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, part) => {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
      if (Array.isArray(value) && part === 'length') return undefined;
      return (value as Record<string, unknown>)[part];
    }, data);
}

/** Omits fields whose source is missing. The input schema decides whether that is allowed. */
export const fill = (mapping: Mapping, data: WorkflowData): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(mapping)
      .map(([field, source]) => [field, 'from' in source ? at(data, source.from) : source.value] as const)
      .filter(([, value]) => value !== undefined),
  );

export function holds(condition: Condition | undefined, data: WorkflowData): boolean {
  if (!condition) return true;
  const value = at(data, condition.from);
  if ('exists' in condition) return (value !== undefined && value !== null) === condition.exists;
  return 'equals' in condition ? value === condition.equals : value !== condition.differs;
}

/** The steps that a mapping or a condition refers to. */
export const stepsIn = (mapping: Mapping, condition?: Condition): string[] =>
  [...Object.values(mapping), ...(condition ? [condition] : [])].flatMap((source) => {
    const name = 'from' in source ? /^\/steps\/([^/]+)/.exec(source.from)?.[1] : undefined;
    return name === undefined ? [] : [name];
  });
