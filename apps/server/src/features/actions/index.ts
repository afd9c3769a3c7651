// What other features may use. Everything else here is private.
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
  tendAssertionKeys,
} from './assertions.ts';
export { actionCommands, purgeTestRuns as forgetTried } from './run/runs.service.ts';
export {
  collecting,
  find as findRun,
  deleteUnknownRun as forgetUnknown,
  isAsking,
  isOpen,
  ofConversation,
  ofTurn,
  removeOf,
  update as updateRun,
  type Run,
} from './run/runs.store.ts';
export { fieldsOf, problemOfValue, type Field } from './schema/schemas.ts';
export { withParts } from './run/plan.ts';
export { runKey } from './run/wake.ts';
