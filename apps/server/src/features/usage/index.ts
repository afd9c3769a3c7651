// What other features may use. Everything else here is private.
export { countMessage, countTurn, reserveSpend, settleSpend, type Purse } from './usage.service.ts';
