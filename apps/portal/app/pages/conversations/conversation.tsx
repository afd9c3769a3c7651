import { Text } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { portalContext, read } from '@parley/portal-kit/context';
import type { Service } from '@parley/portal-kit/service';
import { api, call, keepLast } from '@parley/portal-kit/ui';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { useLiveData } from '../../parts/inbox/live-data.ts';
import { useMe } from '../../parts/me.ts';
import { denialReason, hasPermission } from '../../parts/rights.ts';
import { useConversationBot, useSavedReplies } from './choices.ts';
import { Composer } from './composer.tsx';
import { ContactPane } from './contact.tsx';
import { ConversationHeader } from './conversation-header.tsx';
import { useLive } from './live.ts';
import { useOutbox } from './outbox.ts';
import { Timeline } from './timeline.tsx';
import classes from './conversations.module.css';

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const [details, timeline] = await Promise.all(readConversation(service, params['conversationId'] ?? ''));
  return { ...read(details, request), timeline: read(timeline, request) };
}

/** All that changes while it is open. */
const readConversation = (service: Service, id: string) =>
  [
    service.GET('/conversations/{id}', { params: { path: { id } } }),
    service.GET('/conversations/{id}/timeline', { params: { path: { id }, query: { limit: 100 } } }),
  ] as const;

export const clientLoader = keepLast<typeof loader>();

const reloadMs = 500;

export default function ConversationPage() {
  const loaded = useLoaderData<typeof loader>();
  const { id } = loaded.conversation;
  const readAgain = async () => {
    const [details, entries] = readConversation(api, id);
    const [conversationDetails, timelinePage] = await Promise.all([call(details), call(entries)]);
    return { ...conversationDetails, timeline: timelinePage };
  };
  const [{ conversation, contact, visitor, timeline }, reload] = useLiveData(loaded, readAgain, reloadMs);
  const { state, assigneeId, lastSeq } = conversation;
  const me = useMe();
  const bot = useConversationBot(conversation.botId);
  const savedReplies = useSavedReplies() ?? [];
  const botName = bot?.name ?? 'Bot';
  const loadedSeq = timeline.data[0]?.seq ?? 0;
  // A reply arrives as several events, so reloads are debounced.
  const refresh = useDebouncedCallback(reload, 120);
  const [isTyping, showTyping] = useTyping(id);
  useLive(id, loadedSeq, { onUpdate: refresh, onTyping: showTyping });
  useMarkRead(id, lastSeq, hasPermission(me, 'conversation.reply'));
  const outbox = useOutbox(id, loadedSeq);
  const isMine = state === 'human' && assigneeId === me.actor.id;
  const reason = denialReason(me, 'conversation.reply', 'human_handoff');

  return (
    <div className={classes['open']}>
      <section className={classes['talk']} aria-label="Conversation">
        <ConversationHeader key={`header-${id}`} conversation={conversation} isMine={isMine} reason={reason} />
        <Timeline
          key={id}
          conversation={conversation}
          botName={botName}
          newest={timeline.data}
          before={timeline.before}
          pending={outbox.pending}
          isVisitorTyping={isTyping}
          visitorReadSeq={conversation.visitorReadSeq}
          onRetry={outbox.retry}
          onDiscard={outbox.discard}
        />
        <Composer
          key={`composer-${id}`}
          conversation={conversation}
          botName={botName}
          isMine={isMine}
          reason={reason}
          hasModel={bot?.hasModel ?? false}
          savedReplies={savedReplies}
          onSend={outbox.add}
        />
        {state === 'closed' && (
          <Text size="sm" c="dimmed" px="sm" pb="sm">
            The visitor’s next message starts a new conversation.
          </Text>
        )}
      </section>
      <ContactPane conversation={conversation} contact={contact} visitor={visitor} />
    </div>
  );
}

const typingMs = 6_000;

/** Whether the visitor is typing: for a few seconds after each signal. */
function useTyping(conversationId: string): [isTyping: boolean, show: () => void] {
  const [typingIn, setTypingIn] = useState<string>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const show = useCallback(() => {
    setTypingIn(conversationId);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setTypingIn(undefined), typingMs);
  }, [conversationId]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return [typingIn === conversationId, show];
}

/** What is on a visible screen has been read. Viewers read along without a trace. */
function useMarkRead(id: string, seq: number, isAgent: boolean): void {
  useEffect(() => {
    if (!isAgent) return undefined;
    const mark = () => {
      if (document.visibilityState !== 'visible') return;
      void call(api.POST('/conversations/{id}/read', { params: { path: { id } }, body: { seq } })).catch(() => {});
    };
    mark();
    document.addEventListener('visibilitychange', mark);
    return () => document.removeEventListener('visibilitychange', mark);
  }, [id, seq, isAgent]);
}
