import { Code, Text } from '@mantine/core';
import { AttemptView } from '@parley/portal-kit/ui';
import type { Attempt } from './webhook-labels.ts';

/** One attempt, with the response of the customer’s server. */
export function DeliveryAttempt({ attempt, scaleMs }: { attempt: Attempt; scaleMs?: number }) {
  const { number, status, response } = attempt;
  return (
    <AttemptView attempt={attempt} {...(scaleMs !== undefined && { scaleMs })}>
      {response ? (
        <div>
          <Text size="xs" c="dimmed">
            Response (first 1 KiB)
          </Text>
          <Code block tabIndex={0} role="region" aria-label={`Response to attempt ${number}`}>
            {response}
          </Code>
        </div>
      ) : (
        status !== null && (
          <Text size="sm" c="dimmed">
            The response has no body.
          </Text>
        )
      )}
    </AttemptView>
  );
}
