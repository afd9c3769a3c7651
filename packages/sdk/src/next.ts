/**
 * Your endpoint as a Next.js route handler.
 *
 * @example
 * export const POST = next({ secrets: process.env.PARLEY_SECRET, onEvent, actions });
 */
export { createReceiver as next } from './receiver.ts';
