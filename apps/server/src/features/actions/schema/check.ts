import type { ActionSpec } from '../actions.contract.ts';
import { stepsIn } from './pointers.ts';
import { fieldsOf, problemOfSchema } from './schemas.ts';

export interface Problem {
  path: string;
  message: string;
  /** Concerns the steps, so a change to another action can cause it. */
  isOfSteps?: boolean;
}

/** Everything that keeps an action from working. The request schema has already checked the shape of each field. */
export function problemsOf(spec: ActionSpec, others: readonly ActionSpec[]): Problem[] {
  const { inputSchema, outputSchema, webhookId, steps, risk, confirm, output, questions } = spec;
  const problems: Problem[] = [];
  const report = (path: string, message: string | null) => message && problems.push({ path, message });
  report('/inputSchema', problemOfSchema(inputSchema));
  if (outputSchema) report('/outputSchema', problemOfSchema(outputSchema));
  if (problems.length > 0) return problems;

  const names = new Set(fieldsOf(inputSchema).map(({ name }) => name));
  for (const field of Object.keys(questions))
    if (!names.has(field)) report(`/questions/${field}`, 'The input schema has no such field.');
  if ((webhookId === null) === (steps === null)) report('/webhookId', 'Set either an endpoint or steps, not both.');
  if (risk === 'write' && confirm === 'never' && steps === null)
    report('/confirm', 'Actions that write must be confirmed by the visitor: choose `writes` or `always`.');
  if (output && steps === null)
    report('/output', 'Only allowed with steps. Without them, the response of your endpoint is the output.');
  return [...problems, ...problemsOfSteps(spec, others)];
}

function problemsOfSteps({ id, steps, risk, output }: ActionSpec, others: readonly ActionSpec[]): Problem[] {
  if (!steps) return [];
  const problems: Problem[] = [];
  const report = (path: string, message: string) => problems.push({ path, message, isOfSteps: true });
  const actionsById = new Map(others.map((other) => [other.id, other]));
  const before = new Set<string>();
  for (const [index, step] of steps.entries()) {
    const path = `/steps/${index}`;
    if (before.has(step.name)) report(`${path}/name`, 'Step names must be unique.');
    for (const [field, actionId] of [
      ['actionId', step.actionId],
      ['compensation/actionId', step.compensation?.actionId],
    ] as const) {
      if (actionId === undefined) continue;
      const action = actionsById.get(actionId);
      if (!action || actionId === id) report(`${path}/${field}`, 'This bot has no other action with this id.');
      else if (action.steps)
        report(`${path}/${field}`, `${action.name} is itself a workflow. Add its steps here instead.`);
      else if (action.risk === 'write' && risk === 'read')
        report('/risk', `The step ${step.name} writes, so set the risk of this action to write.`);
    }
    for (const name of stepsIn(step.input, step.when))
      if (!before.has(name)) report(`${path}/input`, `There is no earlier step called ${name}.`);
    before.add(step.name);
    for (const name of stepsIn(step.compensation?.input ?? {}))
      if (!before.has(name))
        report(`${path}/compensation/input`, `There is no step called ${name} before or at this one.`);
  }
  for (const name of stepsIn(output ?? {}))
    if (!before.has(name)) report('/output', `There is no step called ${name}.`);
  return problems;
}
