import { Button, Group, Text } from '@mantine/core';
import { ProblemText } from '@parley/portal-kit/ui';
import type { PendingMessage } from './outbox.ts';
import classes from './conversations.module.css';

interface Props {
  message: PendingMessage;
  onRetry(id: string): void;
  onDiscard(id: string): void;
}

/** A message that the service has not confirmed yet. */
export const UnsentMessage = ({ message: { id, text, isNote, problem }, onRetry, onDiscard }: Props) => (
  <div className={classes['message']} data-side="right" data-role={isNote ? 'note' : 'agent'} aria-busy={!problem}>
    <div className={classes['bubble']}>
      {text}
      {problem ? (
        <>
          <ProblemText problem={problem} />
          <Group gap="xs" mt={4}>
            <Button size="compact-xs" onClick={() => onRetry(id)}>
              Try again
            </Button>
            <Button size="compact-xs" variant="default" onClick={() => onDiscard(id)}>
              Discard
            </Button>
          </Group>
        </>
      ) : (
        <Text size="xs" c="dimmed">
          Sending…
        </Text>
      )}
    </div>
  </div>
);
