import { each } from '@parley/sdk';
import { take } from './arguments.ts';
import { CliError, exitCodes } from './exit-codes.ts';
import type { Session } from './session.ts';
import { settings } from './settings.ts';

/** The endpoint that is meant: said, in the environment, or the only one there is. */
export async function theEndpoint({ parley }: Session, said: string | undefined): Promise<string> {
  const known = said ?? settings().webhookId;
  if (known) return known;
  const [only, another] = await take(each(parley.listWebhooks, { query: { limit: 2 } }), 2);
  if (only && !another) return only.id;
  throw only
    ? new CliError(
        exitCodes.usage,
        'which_endpoint',
        'There are several endpoints.',
        'Say which with --webhook, or set PARLEY_WEBHOOK_ID. `parley webhooks list` shows them.',
      )
    : new CliError(
        exitCodes.notFound,
        'no_endpoint',
        'There is no endpoint yet.',
        '`parley webhooks create <url>` makes one; `parley listen` one for your own machine.',
      );
}
