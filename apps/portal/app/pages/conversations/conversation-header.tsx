import { ActionIcon, Button, Group, Menu, Title } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { api, Avatar, call, ProblemText, Status, TextLink, toast, useAction, WithReason } from '@parley/portal-kit/ui';
import { IconArrowBackUp, IconDots, IconMoon, IconSun, IconSwitchHorizontal } from '@tabler/icons-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { snoozeChoices } from './snooze.ts';
import { stateLabels, type Conversation } from './states.ts';
import { Transfer } from './transfer.tsx';
import classes from './conversations.module.css';

interface Props {
  conversation: Conversation;
  isMine: boolean;
  /** Why the member can't take it over. */
  reason: string | undefined;
}

/** Who it is with, and what can be done now: one primary action, the others in the menu. */
export function ConversationHeader({ conversation, isMine, reason }: Props) {
  const { id, state, assignee, person, snoozedUntil } = conversation;
  const me = useMe();
  const [search] = useSearchParams();
  const [isTransferring, setTransferring] = useState(false);
  const params = { path: { id } };
  const claim = useAction(() => call(api.POST('/conversations/{id}/claim', { params, body: {} })));
  const takeOver = useAction(() =>
    call(api.POST('/conversations/{id}/claim', { params, body: { assigneeId: me.actor.id } })),
  );
  const handBack = useAction(() => call(api.POST('/conversations/{id}/hand-back', { params })));
  const reopen = useAction(() => call(api.POST('/conversations/{id}/reopen', { params })));
  const close = useAction(async () => {
    await call(api.POST('/conversations/{id}/close', { params }));
    toast({ message: `Closed the conversation with ${person.name}.`, undo: () => void reopen.run() });
  });
  const snooze = useAction(async (until: string | null) => {
    await call(api.POST('/conversations/{id}/snooze', { params, body: { until } }));
    if (until) toast({ message: 'Snoozed. It returns to the inbox then, or when the visitor writes.' });
  });
  const noReply = denialReason(me, 'conversation.reply');
  const canAct = noReply === undefined;
  useHotkeys([['e', () => canAct && state !== 'closed' && void close.run()]]);
  const { label, tone } = stateLabels[state];
  const problem =
    claim.problem ?? takeOver.problem ?? handBack.problem ?? close.problem ?? reopen.problem ?? snooze.problem;

  return (
    <>
      <Group justify="space-between" p="sm" gap="xs" className={classes['head'] ?? ''}>
        <Group gap="xs" miw={0}>
          <span className={classes['back']}>
            <TextLink to={`/conversations?${search.toString()}`}>Back to inbox</TextLink>
          </span>
          <Avatar name={person.isKnown ? person.name : ''} id={person.id || id} kind="visitor" size={28} />
          <Title order={2} fz={16}>
            {person.name}
          </Title>
          <Status tone={tone}>
            {isMine ? 'Assigned to you' : state === 'human' && assignee?.name ? `Assigned to ${assignee.name}` : label}
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
          <WithReason reason={noReply}>
            {state === 'closed' ? (
              <Button
                size="xs"
                variant="default"
                leftSection={<IconArrowBackUp size={14} aria-hidden />}
                onClick={() => void reopen.run()}
                loading={reopen.isRunning}
                disabled={!canAct}
              >
                Reopen
              </Button>
            ) : (
              <Button
                size="xs"
                variant={isMine ? 'filled' : 'default'}
                onClick={() => void close.run()}
                loading={close.isRunning}
                disabled={!canAct}
              >
                Close
              </Button>
            )}
          </WithReason>
          {canAct && (state === 'human' || state === 'waiting_human') && (
            <Menu position="bottom-end" withinPortal>
              <Menu.Target>
                <ActionIcon variant="default" size={30} aria-label="More actions">
                  <IconDots size={16} aria-hidden />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item
                  leftSection={<IconSwitchHorizontal size={16} aria-hidden />}
                  onClick={() => setTransferring(true)}
                >
                  Transfer…
                </Menu.Item>
                <Menu.Divider />
                <Menu.Label>Snooze</Menu.Label>
                {snoozeChoices.map(({ label: name, until }) => (
                  <Menu.Item
                    key={name}
                    leftSection={<IconMoon size={16} aria-hidden />}
                    onClick={() => void snooze.run(until(new Date()).toISOString())}
                  >
                    {name}
                  </Menu.Item>
                ))}
                {snoozedUntil && (
                  <Menu.Item leftSection={<IconSun size={16} aria-hidden />} onClick={() => void snooze.run(null)}>
                    End snooze
                  </Menu.Item>
                )}
              </Menu.Dropdown>
            </Menu>
          )}
        </Group>
      </Group>
      <ProblemText problem={problem} />
      <Transfer conversation={conversation} isOpen={isTransferring} onClose={() => setTransferring(false)} />
    </>
  );
}
