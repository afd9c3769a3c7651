import { createInterface } from 'node:readline/promises';
import { CliError, exitCodes } from './exit-codes.ts';
import { isInteractive } from './out.ts';

/** Prompts on stderr: stdout is for the result. */
export async function prompt(question: string, defaultValue = ''): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  terminal.once('SIGINT', () => process.exit(exitCodes.interrupted));
  try {
    return (
      (await terminal.question(defaultValue ? `${question} [${defaultValue}] ` : `${question} `)).trim() || defaultValue
    );
  } finally {
    terminal.close();
  }
}

/** Continues only after a yes, or with `--yes`. */
export async function confirm(question: string, yes = false): Promise<void> {
  if (yes) return;
  if (!isInteractive())
    throw new CliError(
      exitCodes.usage,
      'not_confirmed',
      `${question} Confirmation is required.`,
      'Run it again with --yes.',
    );
  if (!/^y(es)?$/i.test(await prompt(`${question} (y/N)`)))
    throw new CliError(exitCodes.failed, 'not_confirmed', 'Cancelled. Nothing was changed.');
}
