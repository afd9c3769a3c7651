// What other features may use. Everything else here is private.
export { admit, type AdmissionDeps } from './admission.ts';
export { createInstalls } from './installs.ts';
export { openSessions, type Sessions } from './widget-sessions.service.ts';
