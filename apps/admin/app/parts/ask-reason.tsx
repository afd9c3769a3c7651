import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { Dialog, field, ProblemText, type useAction } from '@parley/portal-kit/ui';
import type { FormEvent, ReactNode } from 'react';

interface Props {
  title: string;
  /** What happens then. */
  children: ReactNode;
  verb: string;
  isDangerous?: boolean;
  action: Pick<ReturnType<typeof useAction>, 'isRunning' | 'problem'>;
  onSend(reason: string): void;
  onClose(): void;
}

/** Before something is done to work of others: what happens, and why one does it. */
export function AskReason({ title, children, verb, isDangerous = false, action, onSend, onClose }: Props) {
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSend(field(event.currentTarget, 'reason').trim());
  };
  return (
    <Dialog isOpen title={title} onClose={onClose}>
      <form onSubmit={send}>
        <Stack>
          <Text component="div">{children}</Text>
          <Textarea
            name="reason"
            label="Reason"
            description="Saved to the audit log."
            minLength={3}
            maxLength={500}
            required
            data-autofocus
          />
          <ProblemText problem={action.problem} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={action.isRunning} {...(isDangerous && { color: 'red' })}>
              {verb}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
