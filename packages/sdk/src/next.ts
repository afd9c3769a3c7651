/**
 * Your endpoint as a route handler of Next.js, which hands over the request as the platform has it.
 *
 * @example
 * export const POST = next({ secrets: process.env.PARLEY_SECRET, onEvent, actions });
 */
export { createReceiver as next } from './receiver.ts';
