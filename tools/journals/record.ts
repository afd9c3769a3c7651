import { linesOf, type Flow } from './flow.ts';

// The committed journals, one block for each handler:
//
//   Service.handler
//     # changed: why no invocation replays what was here before
//     run a step

export type Record = ReadonlyMap<string, Recorded>;
interface Recorded {
  lines: readonly string[];
  /** `changed` or `removed`, with the reason. */
  note?: string;
}

export interface Change {
  handler: string;
  kind: 'new' | 'changed' | 'removed';
  before: readonly string[];
  now: readonly string[];
}

const title = `# The journal of each durable handler. Written by \`npm run gen:journals\`; "Change a durable handler" in CONTRIBUTING.md
# says what it is for.
`;

export function parseRecord(text: string): Record {
  const record = new Map<string, Recorded>();
  for (const block of text.split('\n\n').slice(1)) {
    const [handler = '', ...rest] = block.trimEnd().split('\n');
    const lines = rest.map((line) => line.slice(2));
    const note = lines[0]?.startsWith('# ') ? lines.shift()?.slice(2) : undefined;
    record.set(handler, { lines, ...(note !== undefined && { note }) });
  }
  return record;
}

export function serialiseRecord(record: Record): string {
  const blocks = [...record]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([handler, { lines, note }]) =>
      [handler, ...(note === undefined ? [] : [`  # ${note}`]), ...lines.map((line) => `  ${line}`)].join('\n'),
    );
  return `${[title.trimEnd(), ...blocks].join('\n\n')}\n`;
}

const isRemoved = ({ note }: Recorded) => note?.startsWith('removed: ') === true;

export function compareJournals(record: Record, journals: ReadonlyMap<string, Flow[]>): Change[] {
  return [...new Set([...record.keys(), ...journals.keys()])].toSorted().flatMap((handler): Change[] => {
    const [recorded, flow] = [record.get(handler), journals.get(handler)];
    const [before, now] = [recorded?.lines ?? [], flow ? linesOf(flow) : []];
    if (!recorded) return [{ handler, kind: 'new', before, now }];
    if (!flow) return isRemoved(recorded) ? [] : [{ handler, kind: 'removed', before, now }];
    const isSame = before.join('\n') === now.join('\n') && !isRemoved(recorded);
    return isSame ? [] : [{ handler, kind: 'changed', before, now }];
  });
}

export function applyChanges(record: Record, changes: readonly Change[], reason: string): Record {
  const next = new Map(record);
  for (const { handler, kind, now } of changes)
    next.set(handler, { lines: now, ...(kind !== 'new' && { note: `${kind}: ${reason}` }) });
  return next;
}

/** What changed, and what to do. Empty when nothing did. */
export function explain(changes: readonly Change[]): string {
  const added = changes.filter(({ kind }) => kind === 'new');
  const breaking = changes.filter(({ kind }) => kind !== 'new');
  return [
    ...breaking.map((change) => `${change.handler} is ${change.kind}:\n${differences(change)}`),
    ...breaking.slice(0, 1).map(
      ({ handler }) => `
Invocations that started on the previous version replay this journal, and fail if the code no longer matches it.
Restore the handler, add the change as a new one (for example \`${handler.split('.')[1]}2\`), and keep the old one until no
invocation uses it; then run: npm run gen:journals
"Change a durable handler" in CONTRIBUTING.md has the steps. If no invocation can be affected, say why:
npm run gen:journals -- --breaking "only a variable was renamed"`,
    ),
    ...added.map(({ handler }) => `${handler} is new. Run: npm run gen:journals`),
  ].join('\n');
}

function differences({ before, now }: Change): string {
  const start = before.findIndex((line, n) => line !== now[n]);
  const from = start === -1 ? before.length : start;
  const shortest = Math.min(before.length, now.length) - from;
  let same = 0;
  while (same < shortest && before.at(-1 - same) === now.at(-1 - same)) same++;
  return [
    ...before.slice(from, before.length - same).map((line) => `  - ${line}`),
    ...now.slice(from, now.length - same).map((line) => `  + ${line}`),
  ].join('\n');
}
