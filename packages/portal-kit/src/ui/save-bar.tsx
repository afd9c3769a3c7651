import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import type { Problem } from './browser.ts';
import { ProblemText } from './problem.tsx';
import styles from './save-bar.module.css';
import { WithReason } from './with-reason.tsx';

interface Props {
  isDirty: boolean;
  /** Without it, the bar is part of a form, which its button submits. */
  onSave?: () => void;
  onDiscard(): void;
  isSaving: boolean;
  problem?: Problem | undefined;
  saveLabel?: string;
  /** Why it can't be saved. Shown before something is changed too, as the fields are disabled then. */
  reason?: string | undefined;
  /** Something else must be decided first. */
  isBlocked?: boolean;
}

/** Stays in view at the bottom while something is unsaved. */
export function SaveBar({
  isDirty,
  onSave,
  onDiscard,
  isSaving,
  problem,
  saveLabel = 'Save changes',
  reason,
  isBlocked = false,
}: Props) {
  if (!isDirty && !problem) return reason ? <Text c="dimmed">{reason}</Text> : null;
  return (
    <Paper component="section" aria-label="Unsaved changes" withBorder shadow="md" className={styles['bar']}>
      <Stack gap="xs">
        <ProblemText problem={problem} />
        <Group justify="space-between" gap="xs">
          <Group gap={6} role="status">
            <IconPencil size={16} aria-hidden />
            <Text>Unsaved changes</Text>
          </Group>
          <Group gap="xs">
            <Button variant="default" onClick={onDiscard} disabled={isSaving}>
              Discard changes
            </Button>
            <WithReason reason={reason}>
              <Button
                loading={isSaving}
                disabled={!isDirty || isBlocked || reason !== undefined}
                {...(onSave ? { onClick: onSave } : { type: 'submit' as const })}
              >
                {saveLabel}
              </Button>
            </WithReason>
          </Group>
        </Group>
      </Stack>
    </Paper>
  );
}

/** For a form with uncontrolled fields: whether one was changed, and how to restore them all. */
export function useDirtyForm() {
  const [isDirty, setDirty] = useState(false);
  const [version, setVersion] = useState(0);
  const edits = useRef(0);
  return {
    isDirty,
    /** For the form. A new key restores the default values. */
    formKey: version,
    /** For the form, and for fields that change without an event of the DOM: `NumberInput` and `Select`. */
    onChange: () => {
      edits.current += 1;
      setDirty(true);
    },
    /** Call it with what is sent, and the result once it is saved. What was typed in between is still unsaved. */
    startSave: () => {
      const sent = edits.current;
      return () => edits.current === sent && setDirty(false);
    },
    discard: () => {
      setDirty(false);
      setVersion(version + 1);
    },
  };
}
