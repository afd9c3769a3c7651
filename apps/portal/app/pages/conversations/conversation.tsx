import { Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import { api, call, keepLast } from '@parley/portal-kit/ui';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useLoaderData, useRevalidator, type LoaderFunctionArgs } from 'react-router';
import { useMe } from '../../parts/me.ts';
import { denialReason, hasPermission } from '../../parts/rights.ts';
import { Composer } from './composer.tsx';
import { ContactPane } from './contact.tsx';
import { ConversationHeader } from './conversation-header.tsx';
import { useLive } from './live.ts';
import { useOutbox } from './outbox.ts';
import { Timeline } from './timeline.tsx';
import classes from './conversations.module.css';

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const path = { id: params['conversationId'] ?? '' };
  const [conversationResponse, timeline, savedReplies] = await Promise.all([
    service.GET('/conversations/{id}', { params: { path } }),
    service.GET('/conversations/{id}/timeline', { params: { path, query: { limit: 100 } } }),
    service.GET('/saved-replies'),
  ]);
  const details = read(conversationResponse, request);
  const botPath = { id: details.conversation.botId };
  const [bot, models] = await Promise.all([
    service.GET('/bots/{id}', { params: { path: botPath } }),
    service.GET('/bots/{id}/models', { params: { path: botPath } }),
  ]);
  return {
    ...details,
    botName: bot.data?.bot.name ?? 'Bot',
    hasModel: (models.data?.data.length ?? 0) > 0,
    timeline: read(timeline, request),
    savedReplies: savedReplies.data?.data ?? [],
  };
}

export const clientLoader = keepLast<typeof loader>();

export default function ConversationPage() {
  const { conversation, contact, visitor, timeline, botName, hasModel, savedReplies } = useLoaderData<typeof loader>();
  const { id, state, assigneeId, lastSeq } = conversation;
  const me = useMe();
  const { revalidate } = useRevalidator();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // A reply arrives as several events, so reloads are debounced.
  const refresh = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void revalidate(), 120);
  }, [revalidate]);
  const [isTyping, showTyping] = useTyping(id);
  useLive(id, lastSeq, { onUpdate: refresh, onTyping: showTyping });
  useMarkRead(id, lastSeq, hasPermission(me, 'conversation.reply'));
  const outbox = useOutbox(id, revalidate);
  const isMine = state === 'human' && assigneeId === me.actor.id;
  const reason = denialReason(me, 'conversation.reply', 'human_handoff');

  return (
    <div className={classes['open']}>
      <section className={classes['talk']} aria-label="Conversation">
        <ConversationHeader conversation={conversation} isMine={isMine} reason={reason} />
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
          hasModel={hasModel}
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
