// What other features may use. Everything else here is private.
export { countFor, countHandoff, countHelpful, countRating, countTurn } from './counting.ts';
export { countOutcome, countStart, noteReturn } from './outcomes/counting.ts';
export { languageOf } from './outcomes/language.ts';
export { changeOutcome, newOutcome, type OutcomeColumns } from './outcomes/outcome.ts';
export { deleteQuestionsOf, purgeOldQuestions } from './insights.service.ts';
export { budgetsNow } from './usage-reading.service.ts';
export { countMessage, reserveSpend, settleSpend, type Budget } from './usage.service.ts';
export { readUsage } from './usage-reading.service.ts';
