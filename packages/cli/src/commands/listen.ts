import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { several } from '../arguments.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { endpointFor } from '../listening/endpoint.ts';
import { listenForCalls, listenForEvents, stopListening } from '../listening/loop.ts';
import { paint } from '../out.ts';
import { openSession } from '../session.ts';

interface Options {
  forwardTo: string;
  webhook?: string;
  environment: string;
  events?: string[];
  printSecret?: true;
}

export function define(listen: Command): void {
  listen
    .requiredOption('--forward-to <url>', 'your server, such as localhost:3000/parley')
    .option('--webhook <id>', 'listen to this endpoint; its own address gets nothing meanwhile')
    .option('--environment <name>', 'whose events and actions', 'test')
    .option('--events <patterns>', 'for a new endpoint: only these types', several)
    .option('--print-secret', 'print the secret that calls are signed with, and end')
    .addHelpText(
      'after',
      `
Brings the events and private actions of your test environment to your own machine, signed as the real ones are, in
order. What comes while you do not listen is kept for 30 days and comes first. What your server refuses is in the log,
and can be sent again: \`parley replay <delivery>\`.

Examples:
  $ parley listen --forward-to localhost:3000/parley
  $ export PARLEY_WEBHOOK_SECRET=$(parley listen --forward-to localhost:3000 --print-secret)`,
    )
    .action(async ({ forwardTo, webhook, environment, events = ['*'], printSecret }: Options, command: Command) => {
      const to = addressOf(forwardTo);
      const session = await openSession(command);
      const { out, parley } = session;
      const endpoint = await endpointFor(session, { said: webhook, environment, events });
      const { id: webhookId, secret, isBorrowed, waiting } = endpoint;
      if (printSecret) {
        if (secret === undefined)
          throw new CliError(exitCodes.notFound, 'secret_unknown', 'The secret was shown when the endpoint was made.');
        return out.answer({ webhookId, secret }, secret);
      }
      const listening = { session, webhookId, listenerId: randomUUID(), to };
      out.note(
        [
          `Listening to ${webhookId} (${environment}), forwarding to ${to}.${waiting > 0 ? ` ${waiting} waited for you.` : ''}`,
          ...(secret ? [paint('dim', `Calls are signed with ${secret}`)] : []),
          paint('dim', 'Ctrl-C ends it.'),
        ].join('\n'),
      );
      // Given back before we go, also by Ctrl-C.
      process.removeAllListeners('SIGINT');
      const ended = new Promise<void>((end) =>
        ['SIGINT', 'SIGTERM'].forEach((signal) => process.once(signal, () => end())),
      );
      try {
        await Promise.race([listenForEvents(listening), listenForCalls(listening), ended]);
        await stopListening(listening);
      } finally {
        if (isBorrowed) await parley.resumeWebhook({ path: { webhookId } });
      }
      process.exit(exitCodes.interrupted);
    });
}

function addressOf(text: string): string {
  const url = URL.parse(/^https?:\/\//.test(text) ? text : `http://${text}`);
  if (!url)
    throw new CliError(exitCodes.usage, 'bad_address', `“${text}” is no address.`, 'Such as localhost:3000/parley.');
  return url.href;
}
