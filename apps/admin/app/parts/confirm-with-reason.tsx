import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { Dialog, field, ProblemText, type useAction } from '@parley/portal-kit/ui';
import type { FormEvent, ReactNode } from 'react';

interface Props {
  title: string;
  /** The effect of the action. */
  children: ReactNode;
  confirmLabel: string;
  isDangerous?: boolean;
  action: Pick<ReturnType<typeof useAction>, 'isRunning' | 'problem'>;
  onSend(reason: string): void;
  onClose(): void;
}

/** Confirms an action on other people's work and asks for the reason. */
export function ConfirmWithReason({
  title,
  children,
  confirmLabel,
  isDangerous = false,
  action,
  onSend,
  onClose,
}: Props) {
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
              {confirmLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
