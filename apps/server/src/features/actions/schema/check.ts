import type { ActionSpec } from '../actions.contract.ts';
import { stepsIn } from './pointers.ts';
import { fieldsOf, problemOfSchema } from './schemas.ts';

export interface Problem {
  path: string;
  message: string;
  /** It may have come about by a change of another action. */
  isOfSteps?: boolean;
}

/** What would keep an action from doing what it says. The shape of each field is checked before. */
export function problemsOf(spec: ActionSpec, others: readonly ActionSpec[]): Problem[] {
  const { inputSchema, outputSchema, webhookId, steps, risk, confirm, output, questions } = spec;
  const problems: Problem[] = [];
  const say = (path: string, message: string | null) => message && problems.push({ path, message });
  say('/inputSchema', problemOfSchema(inputSchema));
  if (outputSchema) say('/outputSchema', problemOfSchema(outputSchema));
  if (problems.length > 0) return problems;

  const names = new Set(fieldsOf(inputSchema).map(({ name }) => name));
  for (const field of Object.keys(questions))
    if (!names.has(field)) say(`/questions/${field}`, 'The input schema has no such field.');
  if ((webhookId === null) === (steps === null)) say('/webhookId', 'Set either an endpoint or steps, not both.');
  if (risk === 'write' && confirm === 'never' && steps === null)
    say('/confirm', 'Actions that write must be confirmed by the visitor: choose `writes` or `always`.');
  if (output && steps === null)
    say('/output', 'Only allowed with steps. Without them, the response of your endpoint is the output.');
  return [...problems, ...problemsOfSteps(spec, others)];
}

function problemsOfSteps({ id, steps, risk, output }: ActionSpec, others: readonly ActionSpec[]): Problem[] {
  if (!steps) return [];
  const problems: Problem[] = [];
  const say = (path: string, message: string) => problems.push({ path, message, isOfSteps: true });
  const known = new Map(others.map((other) => [other.id, other]));
  const before = new Set<string>();
  for (const [place, step] of steps.entries()) {
    const path = `/steps/${place}`;
    if (before.has(step.name)) say(`${path}/name`, 'Step names must be unique.');
    for (const [where, actionId] of [
      ['actionId', step.actionId],
      ['compensation/actionId', step.compensation?.actionId],
    ] as const) {
      if (actionId === undefined) continue;
      const action = known.get(actionId);
      if (!action || actionId === id) say(`${path}/${where}`, 'This bot has no other action with this id.');
      else if (action.steps)
        say(`${path}/${where}`, `${action.name} is itself a workflow. Add its steps here instead.`);
      else if (action.risk === 'write' && risk === 'read')
        say('/risk', `The step ${step.name} writes, so set the risk of this action to write.`);
    }
    for (const name of stepsIn(step.input, step.when))
      if (!before.has(name)) say(`${path}/input`, `There is no earlier step called ${name}.`);
    before.add(step.name);
    for (const name of stepsIn(step.compensation?.input ?? {}))
      if (!before.has(name))
        say(`${path}/compensation/input`, `There is no step called ${name} before or at this one.`);
  }
  for (const name of stepsIn(output ?? {})) if (!before.has(name)) say('/output', `There is no step called ${name}.`);
  return problems;
}
