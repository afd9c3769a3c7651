// What other features may use. Everything else here is private.
export { openSessions, type Sessions } from './widget-sessions.service.ts';
