import { Button, Group, List, NativeSelect, Stack, Text, ThemeIcon } from '@mantine/core';
import { api, call, ProblemText, Section, useAction, WithReason } from '@parley/portal-kit/ui';
import { IconCheck, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { OwnAttempt } from './attempt.tsx';
import type { WebhookChoices } from './webhook-choices.ts';
import type { Attempt, EventType } from './webhook-words.ts';

interface Check {
  name: 'good' | 'forged' | 'stale' | 'repeated' | 'mismatched';
  isPassed: boolean;
  status: number | null;
  advice: string;
}
interface Props {
  webhookId: string;
  eventTypes: WebhookChoices['eventTypes'];
  reason: string | undefined;
}

/** Real calls, made now, that count for nothing: one sample, or five that show whether the receiver is careful. */
export function WebhookTests({ webhookId, eventTypes, reason }: Props) {
  const [type, setType] = useState('ping');
  const [attempt, setAttempt] = useState<Attempt>();
  const [checks, setChecks] = useState<Check[]>();
  const test = useAction(
    (mode: 'sample' | 'security') =>
      call(
        api.POST('/webhooks/{webhookId}/test', {
          params: { path: { webhookId } },
          body: { mode, ...(mode === 'sample' && { type: type as EventType }) },
        }),
      ),
    { isQuiet: true },
  );
  const run = (mode: 'sample' | 'security') => {
    // What the last one showed is not taken for the answer to this one.
    setAttempt(undefined);
    setChecks(undefined);
    void test.run(mode).then((done) => {
      if (mode === 'sample') setAttempt(done?.attempt);
      else setChecks(done?.checks);
    });
  };
  return (
    <Section
      title="Try it"
      about="A real, signed call, made now, whatever the state of the endpoint. It counts for nothing and is marked as a test."
    >
      <Group align="flex-end" gap="xs">
        <NativeSelect
          label="Event to send"
          value={type}
          onChange={(event) => setType(event.currentTarget.value)}
          data={eventTypes.map((one) => one.type)}
        />
        <WithReason reason={reason}>
          <Button disabled={!!reason} loading={test.isRunning} onClick={() => run('sample')}>
            Send a test
          </Button>
        </WithReason>
        <WithReason reason={reason}>
          <Button disabled={!!reason} loading={test.isRunning} variant="default" onClick={() => run('security')}>
            Run the security self-test
          </Button>
        </WithReason>
      </Group>
      <ProblemText problem={test.problem} />
      <div role="status">
        {attempt && <OwnAttempt attempt={attempt} />}
        {checks && <Verdicts checks={checks} />}
      </div>
    </Section>
  );
}

const calls: Record<Check['name'], string> = {
  good: 'A call that is signed well',
  repeated: 'The same call a second time',
  forged: 'A call with a forged signature',
  stale: 'A call that is six minutes old',
  mismatched: 'A call whose headers contradict its body',
};

const isTaken = ({ status }: Check) => status !== null && status >= 200 && status < 300;

function Verdicts({ checks }: { checks: Check[] }) {
  const wrong = checks.filter(({ isPassed }) => !isPassed).length;
  const isGoodTaken = checks.find(({ name }) => name === 'good')?.isPassed;
  return (
    <Stack gap="xs">
      <Text fw={600}>
        {wrong === 0
          ? 'All five calls were met as they should be.'
          : `${wrong} of ${checks.length} calls were not met as they should be.`}
      </Text>
      {!isGoodTaken && (
        <Text>
          Mend the first one before you trust the rest: a server that refuses everything also refuses what is bad.
        </Text>
      )}
      <List spacing="xs" center={false} listStyleType="none" style={{ paddingInlineStart: 0 }}>
        {checks.map((check) => (
          <List.Item
            key={check.name}
            icon={
              <ThemeIcon size={20} radius="xl" variant="light" color={check.isPassed ? 'green' : 'red'}>
                {check.isPassed ? <IconCheck size={14} aria-hidden /> : <IconX size={14} aria-hidden />}
              </ThemeIcon>
            }
          >
            <b>{calls[check.name]}:</b> {isTaken(check) ? 'accepted' : 'refused'}{' '}
            {check.isPassed ? 'rightly' : 'wrongly'} ({check.status === null ? 'no answer' : `HTTP ${check.status}`}).
            <Text c={check.isPassed ? 'dimmed' : undefined!}>{check.advice}</Text>
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}
