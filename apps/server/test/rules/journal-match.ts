import type { Command, Flow } from '../../../../tools/journals/flow.ts';

/** Whether a handler can have written this journal. `isPartial`: or the first part of it, because it is running or failed. */
export function canWrite(flow: readonly Flow[], journal: readonly Command[], { isPartial = false } = {}): boolean {
  return follow(flow, [0], journal).some(
    ({ exit, at }) => at === journal.length && (isPartial || exit === 'end' || exit === 'return' || exit === 'throw'),
  );
}

/** How a part of a handler may end, and how many entries of the journal it and those before it have written. */
interface Outcome {
  /** `more`: with a command that the journal does not have. */
  exit: 'end' | 'more' | Extract<Flow, { kind: 'exit' }>['text'];
  at: number;
}

function follow(flows: readonly Flow[], starts: readonly number[], journal: readonly Command[]): Outcome[] {
  const outcomes: Outcome[] = [];
  let ends = [...starts];
  for (const flow of flows) {
    if (ends.length === 0) break; // a function that calls itself has no other end
    const next = followOne(flow, [...new Set(ends)], journal);
    ends = next.flatMap(({ exit, at }) => (exit === 'end' ? [at] : []));
    outcomes.push(...next.filter(({ exit }) => exit !== 'end'));
  }
  return [...outcomes, ...ends.map((at): Outcome => ({ exit: 'end', at }))];
}

function followOne(flow: Flow, starts: readonly number[], journal: readonly Command[]): Outcome[] {
  switch (flow.kind) {
    case 'command':
      return starts.flatMap((at): Outcome[] => {
        const entry = journal[at];
        if (!entry) return [{ exit: 'more', at }];
        return isWrittenBy(flow.command, entry) ? [{ exit: 'end', at: at + 1 }] : [];
      });
    case 'exit':
      return starts.map((at) => ({ exit: flow.text, at }));
    case 'if':
      return [...follow(flow.body, starts, journal), ...follow(flow.otherwise, starts, journal)];
    case 'function':
      return follow(flow.body, starts, journal).map(({ exit, at }) => ({ exit: exit === 'return' ? 'end' : exit, at }));
    case 'loop':
      return followLoop(flow, starts, journal);
  }
}

function followLoop(
  { body, isEndless, isCallback }: Extract<Flow, { kind: 'loop' }>,
  starts: readonly number[],
  journal: readonly Command[],
): Outcome[] {
  const outcomes: Outcome[] = [];
  // Each round starts where one before it ended, until a round gets nowhere new.
  const started = new Set(starts);
  for (let fresh = [...starts]; fresh.length > 0;) {
    const round = follow(body, fresh, journal);
    const isNext = ({ exit }: Outcome) => exit === 'end' || exit === 'continue' || (isCallback && exit === 'return');
    for (const outcome of round.filter((one) => !isNext(one)))
      outcomes.push(outcome.exit === 'break' ? { ...outcome, exit: 'end' } : outcome);
    fresh = [...new Set(round.filter(isNext).map(({ at }) => at))].filter((at) => !started.has(at));
    for (const at of fresh) started.add(at);
  }
  return isEndless ? outcomes : [...outcomes, ...[...started].map((at): Outcome => ({ exit: 'end', at }))];
}

/** `${…}` in a name stands for any text. */
function isWrittenBy(command: Command, entry: Command): boolean {
  const [first = '', ...rest] = command.name.split(/\$\{[^}]*\}/);
  const isName = rest.length === 0 ? entry.name === first : entry.name.startsWith(first);
  return entry.type === command.type && isName && entry.name.endsWith(rest.at(-1) ?? '');
}
