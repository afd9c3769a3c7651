import { Button, Text } from '@mantine/core';
import type { Routes } from '@parley/portal-kit/service';
import { api, call, ConfirmByName, ProblemText, Section, useAction, WithReason } from '@parley/portal-kit/ui';
import { IconArchive, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { useBot } from './bot-data.ts';

type Change = NonNullable<Routes['/bots/{id}']['PATCH']['input']['body']>;

export const useChange = (id: string) =>
  useAction((body: Change) => call(api.PATCH('/bots/{id}', { params: { path: { id } }, body })));

export function Running() {
  const { bot } = useBot();
  const reason = denialReason(useMe(), 'bot.manage');
  const change = useChange(bot.id);
  if (bot.status === 'archived') return null;
  const isPaused = bot.status === 'paused';
  return (
    <Section title={isPaused ? 'Resume' : 'Pause'}>
      <Text>
        {isPaused
          ? 'Visitors can’t see the chat. When you resume, it reappears on your website with the deployed version.'
          : 'The chat no longer appears on newly opened pages and stops answering visitors who have it open. Conversations are kept, and you can resume at any time.'}
      </Text>
      <ProblemText problem={change.problem} />
      <WithReason reason={reason}>
        <Button
          w="fit-content"
          variant="default"
          leftSection={isPaused ? <IconPlayerPlay size={16} aria-hidden /> : <IconPlayerPause size={16} aria-hidden />}
          loading={change.isRunning}
          disabled={reason !== undefined}
          onClick={() => void change.run({ status: isPaused ? 'active' : 'paused' })}
        >
          {isPaused ? 'Resume bot' : 'Pause bot'}
        </Button>
      </WithReason>
    </Section>
  );
}

export function Archive() {
  const { bot } = useBot();
  const reason = denialReason(useMe(), 'bot.manage');
  const [isConfirming, setConfirming] = useState(false);
  const archive = useAction(() => call(api.DELETE('/bots/{id}', { params: { path: { id: bot.id } } })));
  const change = useChange(bot.id);
  if (bot.status === 'archived')
    return (
      <Section title="Restore">
        <Text>The bot comes back paused, if your plan has room for it. Review it, then resume it.</Text>
        <ProblemText problem={change.problem} />
        <WithReason reason={reason}>
          <Button
            w="fit-content"
            loading={change.isRunning}
            disabled={reason !== undefined}
            onClick={() => void change.run({ status: 'paused' })}
          >
            Restore bot
          </Button>
        </WithReason>
      </Section>
    );
  return (
    <Section title="Archive">
      <Text>
        The bot stops answering immediately and no longer counts towards your plan. Its versions and conversations are
        kept, and you can restore it while your plan has room.
      </Text>
      <WithReason reason={reason}>
        <Button
          w="fit-content"
          color="red"
          variant="outline"
          leftSection={<IconArchive size={16} aria-hidden />}
          disabled={reason !== undefined}
          onClick={() => setConfirming(true)}
        >
          Archive bot…
        </Button>
      </WithReason>
      <ConfirmByName
        isOpen={isConfirming}
        title="Archive this bot?"
        name={bot.name}
        confirmLabel="Archive bot"
        isRunning={archive.isRunning}
        problem={archive.problem}
        onConfirm={() => void archive.run().then((done) => done && setConfirming(false))}
        onClose={() => setConfirming(false)}
      >
        The chat disappears from your website immediately, and visitors who have it open get no more answers.
      </ConfirmByName>
    </Section>
  );
}
