import { ParleyError } from '@parley/sdk';
import { CommanderError } from 'commander';

/** Stable for scripts: the README lists them. */
export const exitCodes = {
  failed: 1,
  usage: 2,
  notAllowed: 3,
  notFound: 4,
  refused: 5,
  unavailable: 6,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** An expected error: what happened, and what to do next. */
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

export interface ErrorReport {
  exitCode: ExitCode;
  code: string;
  reason: string;
  message: string;
  next?: string;
  requestId?: string;
  details?: readonly { path: string; message: string }[];
}

/** Maps any thrown value to an exit code and a message. */
export function toErrorReport(error: unknown): ErrorReport {
  if (error instanceof CliError) {
    const { exitCode, reason, message, next } = error;
    return { exitCode, code: 'CLI', reason, message, ...(next && { next }) };
  }
  if (error instanceof ParleyError) return fromApiError(error);
  if (error instanceof CommanderError) {
    const reason = error.code
      .replace('commander.', '')
      .replaceAll(/[A-Z]/g, (character) => `_${character.toLowerCase()}`);
    return { exitCode: exitCodes.usage, code: 'CLI', reason, message: error.message.replace(/^error: /, '') };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { exitCode: exitCodes.failed, code: 'CLI', reason: 'unexpected', message };
}

function fromApiError({ status, code, reason, message, requestId, details, retryAfterMs }: ParleyError): ErrorReport {
  const base = { code, reason, message, requestId, ...(details.length > 0 && { details }) };
  const unavailable = { ...base, exitCode: exitCodes.unavailable, next: 'Check the API URL or try again in a moment.' };
  if (code === 'UNEXPECTED_RESPONSE') return unavailable; // the response did not come from the service
  if (status === 401)
    return {
      ...base,
      exitCode: exitCodes.notAllowed,
      next: 'Run `parley login`, or set PARLEY_KEY_ID and PARLEY_KEY.',
    };
  if (status === 403) return { ...base, exitCode: exitCodes.notAllowed, next: nextOf(reason) };
  if (status === 404)
    return {
      ...base,
      exitCode: exitCodes.notFound,
      next: 'Run `parley whoami` to check which organisation you’re using.',
    };
  if (status === 429) {
    const seconds = retryAfterMs === null ? 'a few' : String(Math.ceil(retryAfterMs / 1_000));
    return { ...base, exitCode: exitCodes.refused, next: `Wait ${seconds} seconds and try again.` };
  }
  if (status !== null && status >= 400 && status < 500) return { ...base, exitCode: exitCodes.refused };
  return unavailable;
}

function nextOf(reason: string): string {
  if (reason === 'step_up_required') return 'Run `parley login` to confirm it’s you, then try again.';
  if (reason === 'permission_missing') return 'Run `parley whoami` to see your permissions. Ask an owner for more.';
  return 'Run `parley whoami` to check your account and plan.';
}
