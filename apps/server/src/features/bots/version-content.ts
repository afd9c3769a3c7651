import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { canonical, isGroup } from '../../platform/canonical.ts';
import { BotContent, type DraftChange, type VersionContent } from './bot-content.contract.ts';

/** Applies the change to the draft. */
export const changeDraft = (draft: BotContent, change: DraftChange): BotContent =>
  BotContent.parse({
    ...draft,
    ...change,
    answers: { ...draft.answers, ...change.answers },
    appearance: { ...draft.appearance, ...change.appearance },
    handoff: { ...draft.handoff, ...change.handoff },
    ...(change.replies && { replies: { ...draft.replies, ...change.replies } }),
  });

/** Reads stored content. Fields of a newer version, which runs at the same time during an upgrade, are ignored. */
export function readContent<S extends z.ZodType>(schema: S, stored: unknown): z.infer<S> {
  const parsed = schema.safeParse(stored);
  if (parsed.success) return parsed.data;
  const known = structuredClone(stored);
  for (const issue of parsed.error.issues)
    if (issue.code === 'unrecognized_keys') {
      const group = issue.path.reduce<unknown>((value, name) => (value as Record<PropertyKey, unknown>)[name], known);
      for (const name of issue.keys) delete (group as Record<string, unknown>)[name];
    }
  return schema.parse(known);
}

/** Identifies the content of a version, independent of key order. */
export const hashContent = (content: VersionContent): Buffer => hash('sha256', canonical(content), 'buffer');

interface Change {
  path: string;
  before: unknown;
  after: unknown;
}

/** The differences of two contents by JSON Pointer. A list is treated as one value. */
export function differences(before: unknown, after: unknown, path = ''): Change[] {
  if (isGroup(before) && isGroup(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
    return names.flatMap((name) =>
      differences(own(before, name), own(after, name), `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
    );
  }
  return isDeepStrictEqual(before, after) ? [] : [{ path, before: before ?? null, after: after ?? null }];
}

/** A text key may be `constructor`. */
const own = (group: Record<string, unknown>, name: string) => (Object.hasOwn(group, name) ? group[name] : undefined);
