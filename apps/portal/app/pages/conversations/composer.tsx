import { Button, Group, SegmentedControl, Stack, Text, Textarea } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useRef, useState, type FormEvent, type KeyboardEvent } from 'react';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import type { State } from './states.ts';
import classes from './conversations.module.css';

interface Props {
  isMine: boolean;
  state: State;
  /** Why the member can't reply. */
  reason: string | undefined;
  onSend(text: string, isNote: boolean): void;
}

/** Composer for replies to the visitor and notes for the team. The text next to the button says which. */
export function Composer({ isMine, state, reason, onSend }: Props) {
  const me = useMe();
  const canNote = denialReason(me, 'conversation.reply') === undefined;
  const [selectedKind, setSelectedKind] = useState<'reply' | 'note'>('reply');
  const [text, setText] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const isNote = !isMine || selectedKind === 'note';
  const startWriting = (kind: 'reply' | 'note') => () => {
    setSelectedKind(kind);
    field.current?.focus();
  };
  useHotkeys([
    ['r', startWriting('reply')],
    ['n', startWriting('note')],
  ]);
  const send = (event?: FormEvent) => {
    event?.preventDefault();
    const message = text.trim();
    if (!message) return;
    setText('');
    onSend(message, isNote);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send();
  };
  if (!canNote)
    return (
      <Text className={classes['write'] ?? ''} c="dimmed">
        {reason}
      </Text>
    );
  return (
    <form className={classes['write']} onSubmit={send}>
      <Stack gap="xs">
        {isMine ? (
          <SegmentedControl
            size="xs"
            w="fit-content"
            value={selectedKind}
            onChange={(value) => setSelectedKind(value)}
            aria-label="Message type"
            data={[
              { value: 'reply', label: 'Reply to visitor' },
              { value: 'note', label: 'Internal note' },
            ]}
          />
        ) : (
          <Text size="sm" c="dimmed">
            {state === 'closed'
              ? 'This conversation is closed. You can still add a note.'
              : (reason ?? 'Take over the conversation to reply. Notes are only visible to your team.')}
          </Text>
        )}
        <Textarea
          ref={field}
          aria-label={isNote ? 'Internal note' : 'Reply to visitor'}
          placeholder={isNote ? 'Write a note for your team' : 'Write a reply'}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKey}
          autosize
          minRows={2}
          maxRows={8}
          maxLength={8_000}
        />
        <Group justify="space-between">
          <Text size="xs" c="dimmed" visibleFrom="sm">
            Ctrl+Enter to send
          </Text>
          <Button type="submit" size="xs" disabled={text.trim() === ''} variant={isNote ? 'default' : 'filled'}>
            {isNote ? 'Add note' : 'Send reply'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
