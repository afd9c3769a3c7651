import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { parseList } from '../arguments.ts';
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
    .requiredOption('--forward-to <url>', 'URL of your server, such as localhost:3000/parley')
    .option('--webhook <id>', 'listen to this endpoint; its own URL receives nothing meanwhile')
    .option('--environment <name>', 'environment', 'test')
    .option('--events <patterns>', 'event types, if a new endpoint is created', parseList)
    .option('--print-secret', 'print the signing secret and exit')
    .addHelpText(
      'after',
      `
Forwards events and private actions from your test environment to your machine, in order and with real signatures.
Events that arrive while you’re not listening are kept for 30 days and sent first. Deliveries your server rejects are
logged, and you can send them again with \`parley replay <delivery>\`.

Examples:
  $ parley listen --forward-to localhost:3000/parley
  $ export PARLEY_WEBHOOK_SECRET=$(parley listen --forward-to localhost:3000 --print-secret)`,
    )
    .action(async ({ forwardTo, webhook, environment, events = ['*'], printSecret }: Options, command: Command) => {
      const to = urlOf(forwardTo);
      const session = await openSession(command);
      const { out, parley } = session;
      const endpoint = await endpointFor(session, { webhookId: webhook, environment, events });
      const { id: webhookId, secret, mustResume, waiting } = endpoint;
      if (printSecret) {
        if (secret === undefined)
          throw new CliError(
            exitCodes.notFound,
            'secret_unknown',
            'The secret isn’t stored on this machine. It was shown when the endpoint was created.',
          );
        return out.result({ webhookId, secret }, secret);
      }
      const listening = { session, webhookId, listenerId: randomUUID(), to };
      out.note(
        [
          `Listening to ${webhookId} (${environment}), forwarding to ${to}.${waiting > 0 ? ` ${waiting} pending.` : ''}`,
          ...(secret ? [paint('dim', `Signing secret: ${secret}`)] : []),
          paint('dim', 'Press Ctrl-C to stop.'),
        ].join('\n'),
      );
      // Resumed before exit, also after Ctrl-C.
      process.removeAllListeners('SIGINT');
      const ended = new Promise<void>((end) =>
        ['SIGINT', 'SIGTERM'].forEach((signal) => process.once(signal, () => end())),
      );
      try {
        await Promise.race([listenForEvents(listening), listenForCalls(listening), ended]);
        await stopListening(listening);
      } finally {
        if (mustResume) await parley.resumeWebhook({ path: { webhookId } });
      }
      process.exit(exitCodes.interrupted);
    });
}

function urlOf(text: string): string {
  const url = URL.parse(/^https?:\/\//.test(text) ? text : `http://${text}`);
  if (!url)
    throw new CliError(
      exitCodes.usage,
      'invalid_url',
      `“${text}” is not a valid URL.`,
      'Use a URL such as localhost:3000/parley.',
    );
  return url.href;
}
