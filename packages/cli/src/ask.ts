import { createInterface } from 'node:readline/promises';
import { CliError, exitCodes } from './exit-codes.ts';
import { isInteractive } from './out.ts';

/** Questions go to stderr: stdout belongs to the answer. */
export async function ask(question: string, otherwise = ''): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  terminal.once('SIGINT', () => process.exit(exitCodes.interrupted));
  try {
    return (await terminal.question(otherwise ? `${question} [${otherwise}] ` : `${question} `)).trim() || otherwise;
  } finally {
    terminal.close();
  }
}

/** Goes on only if somebody says yes, or said so before. */
export async function confirmed(question: string, yes = false): Promise<void> {
  if (yes) return;
  if (!isInteractive())
    throw new CliError(
      exitCodes.usage,
      'not_confirmed',
      `${question} Confirmation is required.`,
      'Run it again with --yes.',
    );
  if (!/^y(es)?$/i.test(await ask(`${question} (y/N)`)))
    throw new CliError(exitCodes.failed, 'not_confirmed', 'Cancelled. Nothing was changed.');
}
