import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { canonical, isGroup } from '../../platform/canonical.ts';
import { BotContent, type DraftChange, type VersionContent } from './bot-content.contract.ts';

/** The draft with the change over it. */
export const changeDraft = (draft: BotContent, change: DraftChange): BotContent =>
  BotContent.parse({
    ...draft,
    ...change,
    answers: { ...draft.answers, ...change.answers },
    appearance: { ...draft.appearance, ...change.appearance },
    handoff: { ...draft.handoff, ...change.handoff },
  });

/** What a version is known by: the same content has the same hash, whoever wrote it and in whatever order. */
export const hashContent = (content: VersionContent): Buffer => hash('sha256', canonical(content), 'buffer');

interface Change {
  path: string;
  before: unknown;
  after: unknown;
}

/** Where two contents differ, by JSON Pointer. A list is one value: what changed in it is for the reader to see. */
export function differences(before: unknown, after: unknown, path = ''): Change[] {
  if (isGroup(before) && isGroup(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
    return names.flatMap((name) =>
      differences(own(before, name), own(after, name), `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
    );
  }
  return isDeepStrictEqual(before, after) ? [] : [{ path, before: before ?? null, after: after ?? null }];
}

/** A text of the tenant may be called `constructor`. */
const own = (group: Record<string, unknown>, name: string) => (Object.hasOwn(group, name) ? group[name] : undefined);
