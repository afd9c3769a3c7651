import { Button, Text } from '@mantine/core';
import type { paths } from '@parley/portal-kit/service';
import { api, call, ConfirmByName, ProblemText, Section, useAction, WithReason } from '@parley/portal-kit/ui';
import { IconArchive, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';
import { useMe } from '../../parts/me.ts';
import { whyNot } from '../../parts/rights.ts';
import { useBot } from './shape.ts';

type Change = NonNullable<paths['/bots/{id}']['patch']['requestBody']>['content']['application/json'];

export const useChange = (id: string) =>
  useAction((body: Change) => call(api.PATCH('/bots/{id}', { params: { path: { id } }, body })));

export function Running() {
  const { bot } = useBot();
  const reason = whyNot(useMe(), 'bot.manage');
  const change = useChange(bot.id);
  if (bot.status === 'archived') return null;
  const isPaused = bot.status === 'paused';
  return (
    <Section title={isPaused ? 'Resume' : 'Pause'}>
      <Text>
        {isPaused
          ? 'Visitors do not see the chat at present. When you resume, it appears again on your pages, with the version that is deployed.'
          : 'The chat disappears from pages that are opened from now on, and answers nobody who has it open. Conversations stay, and you can resume at any time.'}
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
  const reason = whyNot(useMe(), 'bot.manage');
  const [isAsked, setAsked] = useState(false);
  const archive = useAction(() => call(api.DELETE('/bots/{id}', { params: { path: { id: bot.id } } })));
  const change = useChange(bot.id);
  if (bot.status === 'archived')
    return (
      <Section title="Take it back">
        <Text>It comes back paused, if your plan has room for one more bot. Then look at it, and resume it.</Text>
        <ProblemText problem={change.problem} />
        <WithReason reason={reason}>
          <Button
            w="fit-content"
            loading={change.isRunning}
            disabled={reason !== undefined}
            onClick={() => void change.run({ status: 'paused' })}
          >
            Take bot back
          </Button>
        </WithReason>
      </Section>
    );
  return (
    <Section title="Archive">
      <Text>
        It stops answering at once and no longer counts for your plan. Its versions and conversations stay, and it can
        be taken back while your plan has room.
      </Text>
      <WithReason reason={reason}>
        <Button
          w="fit-content"
          color="red"
          variant="outline"
          leftSection={<IconArchive size={16} aria-hidden />}
          disabled={reason !== undefined}
          onClick={() => setAsked(true)}
        >
          Archive bot…
        </Button>
      </WithReason>
      <ConfirmByName
        isOpen={isAsked}
        title="Archive this bot?"
        name={bot.name}
        verb="Archive bot"
        isRunning={archive.isRunning}
        problem={archive.problem}
        onConfirm={() => void archive.run().then((done) => done && setAsked(false))}
        onClose={() => setAsked(false)}
      >
        The chat disappears from your pages at once, and whoever has it open gets no more answers.
      </ConfirmByName>
    </Section>
  );
}
