import { Button, Group, SegmentedControl, Stack, Text, Textarea } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useRef, useState, type FormEvent, type KeyboardEvent } from 'react';
import { useMe } from '../../parts/me.ts';
import { whyNot } from '../../parts/rights.ts';
import type { State } from './states.ts';
import classes from './conversations.module.css';

interface Props {
  isMine: boolean;
  state: State;
  /** Why this person cannot reply at all. */
  reason: string | undefined;
  onSend(text: string, isNote: boolean): void;
}

/** A reply reaches the visitor, a note only the team: which of the two is said beside the button, too. */
export function Write({ isMine, state, reason, onSend }: Props) {
  const me = useMe();
  const mayNote = whyNot(me, 'conversation.reply') === undefined;
  const [wanted, setWanted] = useState<'reply' | 'note'>('reply');
  const [text, setText] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const isNote = !isMine || wanted === 'note';
  const begin = (kind: 'reply' | 'note') => () => {
    setWanted(kind);
    field.current?.focus();
  };
  useHotkeys([
    ['r', begin('reply')],
    ['n', begin('note')],
  ]);
  const send = (event?: FormEvent) => {
    event?.preventDefault();
    const words = text.trim();
    if (!words) return;
    setText('');
    onSend(words, isNote);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send();
  };
  if (!mayNote)
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
            value={wanted}
            onChange={(value) => setWanted(value)}
            aria-label="What to write"
            data={[
              { value: 'reply', label: 'Reply to the visitor' },
              { value: 'note', label: 'Note for the team' },
            ]}
          />
        ) : (
          <Text size="sm" c="dimmed">
            {state === 'closed'
              ? 'You can still leave a note.'
              : (reason ?? 'Take the conversation over to reply. Notes are seen by your team only.')}
          </Text>
        )}
        <Textarea
          ref={field}
          aria-label={isNote ? 'Note for the team' : 'Reply to the visitor'}
          placeholder={isNote ? 'A note for your colleagues' : 'Your reply'}
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
            Ctrl and Enter sends
          </Text>
          <Button type="submit" size="xs" disabled={text.trim() === ''} variant={isNote ? 'default' : 'filled'}>
            {isNote ? 'Leave note' : 'Send reply'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
