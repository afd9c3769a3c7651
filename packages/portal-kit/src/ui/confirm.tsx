import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import type { Problem } from './browser.ts';
import { Dialog } from './dialog.tsx';
import { ProblemText } from './problem.tsx';

interface Props {
  isOpen: boolean;
  title: string;
  /** The effects, and what can't be undone. */
  children: ReactNode;
  /** The name to type. */
  name: string;
  /** The button label, such as "Revoke key". */
  confirmLabel: string;
  isRunning: boolean;
  problem: Problem | undefined;
  onConfirm(): void;
  onClose(): void;
}

/** Confirms an irreversible action by typing a name. */
export function ConfirmByName({
  isOpen,
  title,
  children,
  name,
  confirmLabel,
  isRunning,
  problem,
  onConfirm,
  onClose,
}: Props) {
  const [typed, setTyped] = useState('');
  const close = () => {
    setTyped('');
    onClose();
  };
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim() === name) onConfirm();
  };
  return (
    <Dialog isOpen={isOpen} onClose={close} title={title}>
      <form onSubmit={send}>
        <Stack>
          <Text component="div">{children}</Text>
          <TextInput
            label={
              <>
                Type <b>{name}</b> to confirm
              </>
            }
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
          <ProblemText problem={problem} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" color="red" disabled={typed.trim() !== name} loading={isRunning}>
              {confirmLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
