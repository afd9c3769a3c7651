import { each } from '@parley/sdk';
import { take } from './arguments.ts';
import { CliError, exitCodes } from './exit-codes.ts';
import type { Session } from './session.ts';
import { settings } from './settings.ts';

/** The endpoint by option, by environment variable, or the only one there is. */
export async function resolveEndpoint({ parley }: Session, webhookId: string | undefined): Promise<string> {
  const known = webhookId ?? settings().webhookId;
  if (known) return known;
  const [only, another] = await take(each(parley.listWebhooks, { query: { limit: 2 } }), 2);
  if (only && !another) return only.id;
  throw only
    ? new CliError(
        exitCodes.usage,
        'multiple_endpoints',
        'You have more than one webhook endpoint.',
        'Choose one with --webhook or PARLEY_WEBHOOK_ID. To list them, run `parley webhooks list`.',
      )
    : new CliError(
        exitCodes.notFound,
        'no_endpoint',
        'You have no webhook endpoints.',
        'Create one with `parley webhooks create <url>`, or use `parley listen` for local development.',
      );
}
