import { Button } from '@mantine/core';
import { api, call, ProblemText, useAction } from '@parley/portal-kit/ui';
import { useState } from 'react';
import { BotBubbleContext, Entry } from './entries.tsx';
import { withEarlier, withNewest } from './loaded-entries.ts';
import { UnsentMessage } from './unsent-message.tsx';
import type { PendingMessage } from './outbox.ts';
import type { Conversation, Message, TimelineEntry } from './states.ts';
import classes from './conversations.module.css';

interface Props {
  conversation: Conversation;
  botName: string;
  /** The newest page, newest first. */
  newest: TimelineEntry[];
  before: number | null;
  /** Sent from here, not yet confirmed. */
  pending: readonly PendingMessage[];
  isVisitorTyping: boolean;
  visitorReadSeq: number;
  onRetry(id: string): void;
  onDiscard(id: string): void;
}

const scrollToEnd = (end: HTMLElement | null) => {
  const log = end?.parentElement;
  if (log) log.scrollTop = log.scrollHeight;
};

const messageOf = ({ data }: TimelineEntry) => data['message'] as Message | undefined;

/** Everything that happened, oldest first. Earlier entries are loaded on request, one page at a time. */
export function Timeline(props: Props) {
  const { conversation, botName, newest, before, pending, isVisitorTyping, visitorReadSeq, onRetry, onDiscard } = props;
  const [loadedPage, setLoadedPage] = useState({
    newest,
    loaded: withNewest({ entries: [], before: null }, newest, before),
  });
  if (loadedPage.newest !== newest) setLoadedPage({ newest, loaded: withNewest(loadedPage.loaded, newest, before) });
  const { loaded } = loadedPage;
  const { entries } = loaded;
  const loadEarlier = useAction(
    async (beforeSeq: number) => {
      const params = { path: { id: conversation.id }, query: { limit: 100, before: beforeSeq } };
      const page = await call(api.GET('/conversations/{id}/timeline', { params }));
      setLoadedPage((previous) => ({ ...previous, loaded: withEarlier(previous.loaded, page.data, page.before) }));
    },
    { isQuiet: true },
  );
  const receivedIds = new Set(entries.map((entry) => messageOf(entry)?.clientMessageId));
  const open = pending.filter(({ id }) => !receivedIds.has(id));
  const lastReply = entries.findLast((entry) => messageOf(entry)?.role === 'agent' && !entry.isInternal);
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
      <BotBubbleContext value={{ botId: conversation.botId, botName, person: conversation.person, entries }}>
        {entries.map((entry, n) => (
          <Entry key={entry.seq} entry={entry} previous={entries[n - 1]} />
        ))}
      </BotBubbleContext>
      {lastReply && visitorReadSeq >= lastReply.seq && <p className={classes['seen']}>Seen by the visitor</p>}
      {open.map((message) => (
        <UnsentMessage key={message.id} message={message} onRetry={onRetry} onDiscard={onDiscard} />
      ))}
      {isVisitorTyping && (
        <p className={classes['typing']} role="status">
          {conversation.person.name} is typing…
        </p>
      )}
      {/* A new key with each new entry, so that it mounts again and scrolls. */}
      <span key={`${entries.at(-1)?.seq}-${open.length}-${isVisitorTyping}`} ref={scrollToEnd} hidden />
    </div>
  );
}
