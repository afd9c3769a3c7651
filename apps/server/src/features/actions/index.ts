// The public interface of this feature.
export { specsOfBot } from './actions.store.ts';
export { problemsOf } from './schema/check.ts';
export {
  answerRun,
  cancelUnsent,
  isTooLongToConfirm,
  needsConfirmation,
  propose,
  proposeCollected,
  type Chats,
} from './run/runs.ts';
export {
  assertionDays,
  listAssertionKeys,
  openAssertions,
  rewrapAssertionKeys,
  rotateAssertionKeys,
} from './assertions.ts';
export { actionCommands, purgeTestRuns } from './run/runs.service.ts';
export {
  findCollecting,
  find as findRun,
  deleteUnknownRun,
  isStepAwaitingConfirmation,
  isOpen,
  runsOfConversation,
  runsOfTurn,
  deleteRunsOf,
  update as updateRun,
  type Run,
} from './run/runs.store.ts';
export { fieldsOf, problemOfValue, type Field } from './schema/schemas.ts';
export { withStepActions } from './run/plan.ts';
export { actionRunObject, runKey } from './run/action-run.interface.ts';
