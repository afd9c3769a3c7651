import type { FastifyBaseLogger, FastifyServerOptions } from 'fastify';
import { describeForLog, redact } from './log-contents.ts';

/** Not escaped by JSON, but terminals interpret them: control characters, line separators and bidirectional marks. */
const controlCharacters = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;
const escapeControlCharacters = (line: string) =>
  line.replace(controlCharacters, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** One JSON object per line, with the fields of docs/operators/logs.md. */
export const loggerOptions = (name: string, level: string) =>
  ({
    name,
    level,
    serializers: { err: (error: Error) => ({ ...describeForLog(error) }) },
    hooks: { streamWrite: (line: string) => escapeControlCharacters(redact(line)) },
  }) satisfies FastifyServerOptions['logger'];

/** Node would print what ends the process, and its warnings, as text, with whatever is in the message. */
export function logCrashes(log: FastifyBaseLogger) {
  const crash = (error: unknown) => {
    log.fatal({ err: error }, 'crashed');
    process.exit(1);
  };
  process.on('uncaughtException', crash).on('unhandledRejection', crash);
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => log.warn({ warning: name, problem: message }, 'Node.js warning'));
}
