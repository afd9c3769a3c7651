import type { Command } from 'commander';
import { openSession, type Session } from '../session.ts';
import { resolveEndpoint } from '../resolve-endpoint.ts';
import { describeAttempt } from '../describe-webhook.ts';

type TestBody = NonNullable<Parameters<Session['parley']['testWebhook']>[0]['body']>;

export function define(trigger: Command): void {
  trigger
    .argument('<event>', 'event type, such as conversation.created')
    .option('--webhook <id>', 'endpoint ID (PARLEY_WEBHOOK_ID; optional if you have only one)')
    .addHelpText(
      'after',
      `
Sends a sample event with a real signature and prints the full attempt.
Exits with 1 if the endpoint doesn’t accept it.

Examples:
  $ parley trigger conversation.created
  $ parley trigger action.failed --webhook whk_01…`,
    )
    .action(async (type: string, { webhook }: { webhook?: string }, command: Command) => {
      const session = await openSession(command);
      const webhookId = await resolveEndpoint(session, webhook);
      // The service validates the type.
      const body = { mode: 'sample', type } as TestBody;
      const sent = await session.parley.testWebhook({ path: { webhookId }, body });
      session.out.result(sent, `${type} → ${sent.webhook.url}\n${describeAttempt(sent.attempt)}`);
      if (sent.attempt.outcome !== 'succeeded') process.exitCode = 1;
    });
}
