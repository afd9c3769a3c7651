import type { Session } from '../session.ts';
import { stableJson } from './bot-files.ts';

export type Action = Awaited<ReturnType<Session['parley']['listActions']>>['data'][number];

interface Step {
  actionId: string;
  compensation?: { actionId: string };
}
type Rename = (actionId: string) => object;

/** Without the name, which is the file's name. Steps refer to the bot's other actions by name, as the service assigns ids. */
export function actionText(action: Action, all: readonly Action[]): string {
  const {
    id: _id,
    name: _name,
    botId: _bot,
    createdAt: _at,
    createdBy: _by,
    updatedAt: _changed,
    lastRun: _run,
    ...rest
  } = action;
  const toName: Rename = (actionId) => {
    const found = all.find(({ id }) => id === actionId);
    return found ? { action: found.name } : { actionId };
  };
  return stableJson({ ...rest, steps: rest.steps && rest.steps.map((step) => renameStep(step, toName)) });
}

/** The request body, with ids in place of names. Fails with the name of an action that does not exist. */
export function actionBody(text: string, idOf: (name: string) => string): Record<string, unknown> {
  const { steps, ...rest } = JSON.parse(text) as { steps?: FileStep[] | null };
  return { ...rest, ...(steps !== undefined && { steps: steps && steps.map((step) => withIds(step, idOf)) }) };
}

function renameStep({ actionId, compensation, ...step }: Step, rename: Rename): object {
  if (!compensation) return { ...step, ...rename(actionId) };
  const { actionId: compensationId, ...rest } = compensation;
  return { ...step, ...rename(actionId), compensation: { ...rest, ...rename(compensationId) } };
}

interface FileStep {
  action?: string;
  compensation?: { action?: string };
}
function withIds({ action, compensation, ...step }: FileStep, idOf: (name: string) => string): object {
  return {
    ...step,
    ...(action !== undefined && { actionId: idOf(action) }),
    ...(compensation && { compensation: withIds(compensation, idOf) }),
  };
}

/** The actions that its steps call. */
export const stepsOf = (text: string): string[] =>
  ((JSON.parse(text) as { steps?: FileStep[] | null }).steps ?? []).flatMap(({ action, compensation }) =>
    [action, compensation?.action].filter((name) => name !== undefined),
  );
