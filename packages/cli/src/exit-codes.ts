import { ParleyError } from '@parley/sdk';
import { CommanderError } from 'commander';

/** Promises to scripts: the README lists them. */
export const exitCodes = {
  failed: 1,
  usage: 2,
  notAllowed: 3,
  notFound: 4,
  refused: 5,
  away: 6,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Something that we know to say: what happened, and what to do next. */
export class CliError extends Error {
  readonly exitCode: ExitCode;
  readonly reason: string;
  readonly next: string | undefined;

  constructor(exitCode: ExitCode, reason: string, message: string, next?: string) {
    super(message);
    this.exitCode = exitCode;
    this.reason = reason;
    this.next = next;
  }
}

export interface Trouble {
  exitCode: ExitCode;
  code: string;
  reason: string;
  message: string;
  next?: string;
  requestId?: string;
  details?: readonly { path: string; message: string }[];
}

/** Whatever was thrown, in the words of the exit codes. */
export function troubleOf(error: unknown): Trouble {
  if (error instanceof CliError) {
    const { exitCode, reason, message, next } = error;
    return { exitCode, code: 'CLI', reason, message, ...(next && { next }) };
  }
  if (error instanceof ParleyError) return ofTheService(error);
  if (error instanceof CommanderError) {
    const reason = error.code.replace('commander.', '').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return { exitCode: exitCodes.usage, code: 'CLI', reason, message: error.message.replace(/^error: /, '') };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { exitCode: exitCodes.failed, code: 'CLI', reason: 'unexpected', message };
}

function ofTheService({ status, code, reason, message, requestId, details, retryAfterMs }: ParleyError): Trouble {
  const said = { code, reason, message, requestId, ...(details.length > 0 && { details }) };
  const away = { ...said, exitCode: exitCodes.away, next: 'Check the API URL or try again in a moment.' };
  if (code === 'UNEXPECTED_ANSWER') return away; // whoever answered, it was not the service
  if (status === 401)
    return {
      ...said,
      exitCode: exitCodes.notAllowed,
      next: 'Run `parley login`, or set PARLEY_KEY_ID and PARLEY_KEY.',
    };
  if (status === 403) return { ...said, exitCode: exitCodes.notAllowed, next: nextOf(reason) };
  if (status === 404)
    return {
      ...said,
      exitCode: exitCodes.notFound,
      next: 'Run `parley whoami` to check which organisation you’re using.',
    };
  if (status === 429) {
    const seconds = retryAfterMs === null ? 'a few' : String(Math.ceil(retryAfterMs / 1_000));
    return { ...said, exitCode: exitCodes.refused, next: `Wait ${seconds} seconds and try again.` };
  }
  if (status !== null && status >= 400 && status < 500) return { ...said, exitCode: exitCodes.refused };
  return away;
}

function nextOf(reason: string): string {
  if (reason === 'step_up_required') return 'Run `parley login` to confirm it’s you, then try again.';
  if (reason === 'permission_missing') return 'Run `parley whoami` to see your permissions. Ask an owner for more.';
  return 'Run `parley whoami` to check your account and plan.';
}
