import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
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
  });

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
