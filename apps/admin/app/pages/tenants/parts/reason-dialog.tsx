import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { Dialog, field, ProblemText, type Problem } from '@parley/portal-kit/ui';
import { useState, type FormEvent, type ReactNode } from 'react';

interface Props {
  isOpen: boolean;
  title: string;
  /** The effects. */
  children: ReactNode;
  /** The name to type, for actions that lead to erasure. */
  name?: string;
  confirmLabel: string;
  isDangerous?: boolean;
  isRunning: boolean;
  problem: Problem | undefined;
  onConfirm(reason: string): void;
  onClose(): void;
}

/** Confirms an action with a reason. The reason is recorded in the tenant's audit log. */
export function ReasonDialog(props: Props) {
  const {
    isOpen,
    title,
    children,
    name,
    confirmLabel,
    isDangerous = false,
    isRunning,
    problem,
    onConfirm,
    onClose,
  } = props;
  const [typed, setTyped] = useState('');
  const isConfirmed = name === undefined || typed.trim() === name;
  const close = () => {
    setTyped('');
    onClose();
  };
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isConfirmed) onConfirm(field(event.currentTarget, 'reason').trim());
  };
  return (
    <Dialog isOpen={isOpen} onClose={close} title={title}>
      <form onSubmit={send}>
        <Stack>
          <Text component="div">{children}</Text>
          <Textarea
            name="reason"
            label="Reason"
            description="Members of the tenant see this in their audit log."
            required
            minLength={3}
            maxLength={500}
            autosize
            minRows={2}
            data-autofocus
          />
          {name !== undefined && (
            <TextInput
              label={
                <>
                  Type <b>{name}</b> to confirm
                </>
              }
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              autoComplete="off"
            />
          )}
          <ProblemText problem={problem} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" disabled={!isConfirmed} loading={isRunning} {...(isDangerous && { color: 'red' })}>
              {confirmLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
