import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import type { Problem } from './browser.ts';
import { Dialog } from './dialog.tsx';
import { ProblemText } from './problem.tsx';

interface Props {
  isOpen: boolean;
  title: string;
  /** What will happen, and what cannot be taken back. */
  children: ReactNode;
  /** Typed to confirm. */
  name: string;
  /** What the button does: "Revoke key". */
  verb: string;
  isRunning: boolean;
  problem: Problem | undefined;
  onConfirm(): void;
  onClose(): void;
}

/** Before what cannot be undone: says what will happen, and is confirmed by name. */
export function ConfirmByName({ isOpen, title, children, name, verb, isRunning, problem, onConfirm, onClose }: Props) {
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
              {verb}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
