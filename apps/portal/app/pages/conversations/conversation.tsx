import { Button, Group, Text, Title } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import { api, call, keepLast, ProblemText, Status, TextLink, useAction, WithReason } from '@parley/portal-kit/ui';
import { useCallback, useRef } from 'react';
import { useLoaderData, useRevalidator, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { ContactPane } from './contact.tsx';
import { useLive } from './live.ts';
import { useOutbox } from './outbox.ts';
import { nameOfVisitor, stateLabels } from './states.ts';
import { Transcript } from './transcript.tsx';
import { Composer } from './composer.tsx';
import classes from './conversations.module.css';

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const path = { id: params['conversationId'] ?? '' };
  const [conversationResponse, messages] = await Promise.all([
    service.GET('/conversations/{id}', { params: { path } }),
    service.GET('/conversations/{id}/messages', { params: { path, query: { limit: 50 } } }),
  ]);
  return { ...read(conversationResponse, request), messages: read(messages, request) };
}

export const clientLoader = keepLast<typeof loader>();

export default function ConversationPage() {
  const { conversation, contact, visitor, assignee, messages } = useLoaderData<typeof loader>();
  const { id, state, assigneeId } = conversation;
  const me = useMe();
  const [search] = useSearchParams();
  const { revalidate } = useRevalidator();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // A reply arrives as several events, so reloads are debounced.
  const refresh = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void revalidate(), 120);
  }, [revalidate]);
  useLive(id, conversation.lastSeq, refresh);
  const outbox = useOutbox(id, revalidate);

  const params = { path: { id } };
  const claim = useAction(() => call(api.POST('/conversations/{id}/claim', { params, body: {} })));
  const takeOver = useAction(() =>
    call(api.POST('/conversations/{id}/claim', { params, body: { assigneeId: me.userId ?? '' } })),
  );
  const handBack = useAction(() => call(api.POST('/conversations/{id}/hand-back', { params })));
  const close = useAction(() => call(api.POST('/conversations/{id}/close', { params })));
  const isMine = state === 'human' && assigneeId === me.userId;
  const reason = denialReason(me, 'conversation.reply', 'human_handoff');
  const { label, tone } = stateLabels[state];

  return (
    <div className={classes['open']}>
      <section className={classes['talk']} aria-label="Conversation">
        <Group justify="space-between" p="sm" gap="xs">
          <Group gap="xs">
            <span className={classes['back']}>
              <TextLink to={`/conversations?${search.toString()}`}>Back to conversations</TextLink>
            </span>
            <Title order={2} fz={16}>
              {contact?.email || nameOfVisitor(visitor)}
            </Title>
            <Status tone={tone}>
              {isMine
                ? 'Assigned to you'
                : state === 'human' && assignee?.name
                  ? `Assigned to ${assignee.name}`
                  : label}
            </Status>
          </Group>
          <Group gap="xs">
            {(state === 'bot' || state === 'waiting_human') && (
              <WithReason reason={reason}>
                <Button
                  size="xs"
                  onClick={() => void claim.run()}
                  loading={claim.isRunning}
                  disabled={reason !== undefined}
                >
                  Take over
                </Button>
              </WithReason>
            )}
            {state === 'human' && !isMine && (
              <WithReason reason={reason ?? denialReason(me, 'conversation.assign')}>
                <Button
                  size="xs"
                  variant="default"
                  onClick={() => void takeOver.run()}
                  loading={takeOver.isRunning}
                  disabled={reason !== undefined}
                >
                  Take over from {assignee?.name || 'assignee'}
                </Button>
              </WithReason>
            )}
            {isMine && (
              <Button size="xs" variant="default" onClick={() => void handBack.run()} loading={handBack.isRunning}>
                Hand back to bot
              </Button>
            )}
            {state !== 'closed' && (
              <WithReason reason={denialReason(me, 'conversation.reply')}>
                <Button
                  size="xs"
                  variant="default"
                  onClick={() => void close.run()}
                  loading={close.isRunning}
                  disabled={denialReason(me, 'conversation.reply') !== undefined}
                >
                  Close
                </Button>
              </WithReason>
            )}
          </Group>
        </Group>
        <ProblemText problem={claim.problem ?? takeOver.problem ?? handBack.problem ?? close.problem} />
        <Transcript
          key={id}
          conversationId={id}
          newest={messages.data}
          before={messages.before}
          pending={outbox.pending}
          onRetry={outbox.retry}
          onDiscard={outbox.discard}
        />
        <Composer isMine={isMine} state={state} reason={reason} onSend={outbox.add} />
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
