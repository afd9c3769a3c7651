import { Code, Text } from '@mantine/core';
import { AttemptView } from '@parley/portal-kit/ui';
import type { Attempt } from './webhook-words.ts';

/** One call with what their own server answered. */
export function OwnAttempt({ attempt, scaleMs }: { attempt: Attempt; scaleMs?: number }) {
  const { number, status, response } = attempt;
  return (
    <AttemptView attempt={attempt} {...(scaleMs !== undefined && { scaleMs })}>
      {response ? (
        <div>
          <Text size="xs" c="dimmed">
            What you answered (the first KiB)
          </Text>
          <Code block tabIndex={0} role="region" aria-label={`Answer to try ${number}`}>
            {response}
          </Code>
        </div>
      ) : (
        status !== null && (
          <Text size="sm" c="dimmed">
            The answer had no body.
          </Text>
        )
      )}
    </AttemptView>
  );
}
