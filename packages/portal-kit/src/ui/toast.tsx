import { Button, Group, Text } from '@mantine/core';
import { notifications, Notifications } from '@mantine/notifications';
import { IconAlertTriangle, IconCheck, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';

type Tone = 'good' | 'warn' | 'bad';

interface Toast {
  message: string;
  tone?: Tone;
  /** Offers to take the change back, for as long as the toast is shown. */
  undo?: () => void;
}

const tones: Record<Tone, { color: string; icon: ReactNode }> = {
  good: { color: 'var(--good)', icon: <IconCheck size={14} aria-hidden /> },
  warn: { color: 'var(--warn)', icon: <IconAlertTriangle size={14} aria-hidden /> },
  bad: { color: 'var(--bad)', icon: <IconX size={14} aria-hidden /> },
};
const [plainMs, undoMs] = [4_000, 8_000];

/** Confirms what has just happened. Errors that need a decision belong next to the control. */
export function toast({ message, tone = 'good', undo }: Toast): void {
  const id = crypto.randomUUID();
  const takeBack = () => {
    notifications.hide(id);
    undo?.();
  };
  notifications.show({
    id,
    ...tones[tone],
    role: tone === 'bad' ? 'alert' : 'status',
    autoClose: undo ? undoMs : plainMs,
    closeButtonProps: { 'aria-label': 'Dismiss' },
    message: (
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text span>{message}</Text>
        {undo && (
          <Button size="compact-sm" variant="subtle" onClick={takeBack}>
            Undo
          </Button>
        )}
      </Group>
    ),
  });
}

/** Where toasts appear. Rendered once, by the shell. */
export const Toasts = () => <Notifications position="bottom-right" limit={3} zIndex={500} />;
