import {
  ActionIcon,
  Button,
  Combobox,
  Group,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  useCombobox,
} from '@mantine/core';
import { useHotkeys, useThrottledCallback } from '@mantine/hooks';
import type { Schemas } from '@parley/portal-kit/service';
import { api, call } from '@parley/portal-kit/ui';
import { IconMessageBolt } from '@tabler/icons-react';
import { useRef, useState, type FormEvent, type KeyboardEvent } from 'react';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { Assist } from './assist.tsx';
import { SavedReplies } from './saved-replies.tsx';
import { fillVariables, openVariables } from './saved-reply-text.ts';
import type { Conversation } from './states.ts';
import classes from './conversations.module.css';

interface Props {
  conversation: Conversation;
  botName: string;
  isMine: boolean;
  /** Why the member can't reply. */
  reason: string | undefined;
  hasModel: boolean;
  savedReplies: Schemas['SavedReply'][];
  onSend(text: string, isNote: boolean): void;
}

/** While an agent types, the visitor sees it; sent again every few seconds. */
const typingMs = 4_000;
const maxShown = 8;

/** What was written and not sent, by conversation: opening another one and coming back must not lose it. */
const drafts = new Map<string, string>();

/** Composer for replies to the visitor and notes for the team. The text next to the button says which. */
export function Composer({ conversation, botName, isMine, reason, hasModel, savedReplies, onSend }: Props) {
  const { id, state, person } = conversation;
  const me = useMe();
  const canNote = denialReason(me, 'conversation.reply') === undefined;
  const [selectedKind, setSelectedKind] = useState<'reply' | 'note'>('reply');
  const [text, showText] = useState(() => drafts.get(id) ?? '');
  const setText = (value: string) => {
    drafts.set(id, value);
    showText(value);
  };
  const [isManaging, setManaging] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const combobox = useCombobox();
  const isNote = !isMine || selectedKind === 'note';
  const startWriting = (kind: 'reply' | 'note') => () => {
    setSelectedKind(kind);
    field.current?.focus();
  };
  useHotkeys([
    ['r', startWriting('reply')],
    ['n', startWriting('note')],
  ]);
  const showTyping = useThrottledCallback(() => {
    void call(api.POST('/conversations/{id}/typing', { params: { path: { id } } })).catch(() => {});
  }, typingMs);
  const found = isNote ? [] : matchesOf(savedReplies, text);
  const write = (value: string) => {
    setText(value);
    if (!isNote && matchesOf(savedReplies, value).length > 0) {
      combobox.openDropdown();
      combobox.selectFirstOption();
    } else combobox.closeDropdown();
    if (!isNote && value.trim() !== '') showTyping();
  };
  const insert = (replyId: string) => {
    const reply = savedReplies.find((one) => one.id === replyId);
    if (!reply) return;
    const values = {
      'visitor.name': person.isKnown ? person.name : undefined,
      'visitor.email': person.email ?? undefined,
      'agent.name': me.name ?? undefined,
      'bot.name': botName,
    };
    const filled = fillVariables(reply.text, values);
    if (found.length > 0) setText(filled); // instead of `/` and the search
    else insertText(filled);
    combobox.closeDropdown();
    field.current?.focus();
  };
  /** Where the cursor is, or instead of what is selected. */
  const insertText = (added: string) => {
    const current = drafts.get(id) ?? ''; // a model takes seconds, in which more was written
    const { selectionStart: start, selectionEnd: end } = field.current ?? { selectionStart: 0, selectionEnd: 0 };
    setText(current.slice(0, start) + added + current.slice(end));
  };
  const missing = isNote ? [] : openVariables(text);
  const send = (event?: FormEvent) => {
    event?.preventDefault();
    const message = text.trim();
    if (!message || missing.length > 0) return;
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
    <form className={classes['write']} onSubmit={send} data-kind={isNote ? 'note' : 'reply'}>
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
        <Combobox store={combobox} onOptionSubmit={insert} position="top-start" width={360}>
          <Combobox.Target>
            <Textarea
              ref={field}
              aria-label={isNote ? 'Internal note' : 'Reply to visitor'}
              placeholder={isNote ? 'Write a note for your team' : 'Write a reply, or / for a saved one'}
              value={text}
              onChange={(event) => write(event.currentTarget.value)}
              onBlur={() => combobox.closeDropdown()}
              onKeyDown={onKey}
              autosize
              minRows={2}
              maxRows={8}
              maxLength={8_000}
            />
          </Combobox.Target>
          <Combobox.Dropdown hidden={found.length === 0}>
            <Combobox.Options aria-label="Saved replies">
              {found.map(({ id: replyId, name, text: content }) => (
                <Combobox.Option key={replyId} value={replyId}>
                  <Text fw={600} size="sm">
                    {name}
                  </Text>
                  <Text size="xs" c="dimmed" lineClamp={1}>
                    {content}
                  </Text>
                </Combobox.Option>
              ))}
            </Combobox.Options>
          </Combobox.Dropdown>
        </Combobox>
        {missing.length > 0 && (
          <Text size="xs" c="var(--warn)" role="status">
            Replace {missing.join(', ')} before you send.
          </Text>
        )}
        <Group justify="space-between" gap="xs">
          <Group gap="xs">
            {!isNote && (
              <ActionIcon variant="subtle" color="gray" aria-label="Saved replies" onClick={() => setManaging(true)}>
                <IconMessageBolt size={18} aria-hidden />
              </ActionIcon>
            )}
            {hasModel && <Assist conversationId={id} canDraft={!isNote} onDraft={insertText} />}
            <Text size="xs" c="dimmed" visibleFrom="xl">
              Ctrl+Enter to send
            </Text>
          </Group>
          <Button
            type="submit"
            size="xs"
            disabled={text.trim() === '' || missing.length > 0}
            variant={isNote ? 'default' : 'filled'}
          >
            {isNote ? 'Add note' : 'Send reply'}
          </Button>
        </Group>
      </Stack>
      <SavedReplies
        isOpen={isManaging}
        onClose={() => setManaging(false)}
        savedReplies={savedReplies}
        text={text}
        onInsert={(replyId) => {
          setManaging(false);
          insert(replyId);
        }}
      />
    </form>
  );
}

/** What `/` and the text after it find, by name first. */
function matchesOf(savedReplies: Schemas['SavedReply'][], text: string): Schemas['SavedReply'][] {
  if (!text.startsWith('/') || text.includes('\n')) return [];
  const query = text.slice(1).trim().toLowerCase();
  const byName = savedReplies.filter(({ name }) => name.toLowerCase().includes(query));
  const byText = savedReplies.filter((reply) => !byName.includes(reply) && reply.text.toLowerCase().includes(query));
  return [...byName, ...byText].slice(0, maxShown);
}
