import { Button, Group, Text } from '@mantine/core';
import { Ago, api, call, ProblemText, Status, useAction } from '@parley/portal-kit/ui';
import { useState } from 'react';
import { withEarlier, withNewest } from './loaded-messages.ts';
import { ExternalLink, MessageText } from './message-text.tsx';
import type { PendingMessage } from './outbox.ts';
import type { Message } from './states.ts';
import classes from './conversations.module.css';

interface Props {
  conversationId: string;
  /** The newest page, newest first. */
  newest: Message[];
  before: number | null;
  /** Sent from here, not yet confirmed. */
  pending: PendingMessage[];
  onRetry(id: string): void;
  onDiscard(id: string): void;
}

const scrollToEnd = (end: HTMLElement | null) => {
  const log = end?.parentElement;
  if (log) log.scrollTop = log.scrollHeight;
};

/** Messages, oldest first. Earlier ones are loaded on request, one page at a time. */
export function Transcript({ conversationId, newest, before, pending, onRetry, onDiscard }: Props) {
  const [loadedPage, setLoadedPage] = useState({
    newest,
    loaded: withNewest({ messages: [], before: null }, newest, before),
  });
  if (loadedPage.newest !== newest) setLoadedPage({ newest, loaded: withNewest(loadedPage.loaded, newest, before) });
  const { loaded } = loadedPage;
  const { messages } = loaded;
  const loadEarlier = useAction(
    async (beforeSeq: number) => {
      const params = { path: { id: conversationId }, query: { limit: 50, before: beforeSeq } };
      const page = await call(api.GET('/conversations/{id}/messages', { params }));
      setLoadedPage((previous) => ({ ...previous, loaded: withEarlier(previous.loaded, page.data, page.before) }));
    },
    { isQuiet: true },
  );
  const receivedIds = new Set(messages.map(({ clientMessageId }) => clientMessageId));
  const open = pending.filter(({ id }) => !receivedIds.has(id));
  return (
    <div className={classes['log']} role="log" aria-label="Messages" tabIndex={0}>
      {loaded.before !== null && (
        <Button
          variant="default"
          size="xs"
          mx="auto"
          loading={loadEarlier.isRunning}
          onClick={() => void loadEarlier.run(loaded.before ?? 0)}
        >
          Load earlier messages
        </Button>
      )}
      <ProblemText problem={loadEarlier.problem} />
      {messages.map((message) => (
        <Bubble key={message.seq} message={message} />
      ))}
      {open.map((message) => (
        <UnsentMessage key={message.id} message={message} onRetry={onRetry} onDiscard={onDiscard} />
      ))}
      {/* A new key with each new message, so that it mounts again and scrolls. */}
      <span key={`${messages.at(-1)?.seq}-${open.length}`} ref={scrollToEnd} hidden />
    </div>
  );
}

interface UnsentProps {
  message: PendingMessage;
  onRetry(id: string): void;
  onDiscard(id: string): void;
}

const UnsentMessage = ({ message: { id, text, isNote, problem }, onRetry, onDiscard }: UnsentProps) => (
  <div className={`${classes['message']} ${isNote ? classes['note'] : classes['mine']}`} aria-busy={!problem}>
    {text}
    {problem ? (
      <>
        <ProblemText problem={problem} />
        <Group gap="xs" mt={4}>
          <Button size="compact-xs" onClick={() => onRetry(id)}>
            Try again
          </Button>
          <Button size="compact-xs" variant="default" onClick={() => onDiscard(id)}>
            Discard
          </Button>
        </Group>
      </>
    ) : (
      <Text size="xs" c="dimmed">
        Sending…
      </Text>
    )}
  </div>
);

const nameOf = ({ role, agent, isNote }: Message) => {
  if (isNote) return `Note by ${agent?.name ?? 'a teammate'}, only visible to your team`;
  if (role === 'visitor') return 'Visitor';
  if (role === 'agent') return agent?.name || 'Agent';
  return role === 'bot' ? 'Bot' : 'System';
};

function Bubble({ message }: { message: Message }) {
  const { role, text, citations, isAnswer, finish, createdAt, isNote } = message;
  const kind = isNote ? classes['note'] : role === 'visitor' ? '' : classes['mine'];
  return (
    <article className={`${classes['message']} ${kind}`} data-role={isNote ? 'note' : role}>
      <Text size="xs" c="dimmed" component="header">
        {nameOf(message)} · <Ago at={createdAt} />
      </Text>
      {text === '' ? <i>Erased</i> : role === 'visitor' ? text : <MessageText text={text} />}
      {isAnswer === false && (
        <div>
          <Status tone="warn">No answer found</Status>
        </div>
      )}
      {finish === 'cut' && <Text size="xs">The answer was cut off here.</Text>}
      {finish === 'stopped' && <Text size="xs">The visitor stopped the answer here.</Text>}
      {citations.length > 0 && (
        <Text size="xs" component="footer" mt={4}>
          Sources:{' '}
          {citations.map(({ n, title, heading, url }) => (
            <span key={n}>
              [{n}] {url ? <ExternalLink href={url}>{title}</ExternalLink> : title}
              {heading && heading !== title ? `, ${heading}` : ''}{' '}
            </span>
          ))}
        </Text>
      )}
    </article>
  );
}
