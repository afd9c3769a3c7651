// What other features may use. Everything else here is private.
export { awayMessageOf } from './business-hours.service.ts';
export { find as findBusinessHours, findOfBot as findBusinessHoursOfBot } from './business-hours.store.ts';
export { availabilityAt, nextDayStart, waitedUntil } from './opening.ts';
