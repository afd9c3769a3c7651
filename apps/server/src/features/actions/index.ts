// What other features may use. Everything else here is private.
export { specsOfBot } from './actions.store.ts';
export { problemsOf } from './checking.ts';
export {
  answerRun,
  cancelUnsent,
  isTooLongToConfirm,
  needsConfirmation,
  propose,
  proposeCollected,
  type Chats,
} from './ledger.ts';
export {
  assertionDays,
  listAssertionKeys,
  openAssertions,
  rewrapAssertionKeys,
  tendAssertionKeys,
} from './assertions.ts';
export { actionCommands, forgetTried } from './runs.service.ts';
export {
  collecting,
  find as findRun,
  forgetUnknown,
  isAsking,
  isOpen,
  ofConversation,
  ofTurn,
  removeOf,
  update as updateRun,
  type Run,
} from './runs.store.ts';
export { fieldsOf, problemOfValue, type Field } from './schemas.ts';
export { withParts } from './steps.ts';
export { runKey } from './waking.ts';
