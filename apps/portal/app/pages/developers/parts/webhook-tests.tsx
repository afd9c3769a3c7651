import { Button, Group, List, NativeSelect, Stack, Text, ThemeIcon } from '@mantine/core';
import { api, call, ProblemText, Section, useAction, WithReason } from '@parley/portal-kit/ui';
import { IconCheck, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { DeliveryAttempt } from './attempt.tsx';
import type { WebhookChoices } from './webhook-choices.ts';
import type { Attempt, EventType } from './webhook-labels.ts';

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

/** Sends real test requests: one sample event, or five that check how the receiver verifies requests. */
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
    // Clear the last result first.
    setAttempt(undefined);
    setChecks(undefined);
    void test.run(mode).then((done) => {
      if (mode === 'sample') setAttempt(done?.attempt);
      else setChecks(done?.checks);
    });
  };
  return (
    <Section
      title="Test endpoint"
      description="Sends a real, signed request now, even if the endpoint is paused. It’s marked as a test and isn’t counted."
    >
      <Group align="flex-end" gap="xs">
        <NativeSelect
          label="Event"
          value={type}
          onChange={(event) => setType(event.currentTarget.value)}
          data={eventTypes.map((one) => one.type)}
        />
        <WithReason reason={reason}>
          <Button disabled={!!reason} loading={test.isRunning} onClick={() => run('sample')}>
            Send test event
          </Button>
        </WithReason>
        <WithReason reason={reason}>
          <Button disabled={!!reason} loading={test.isRunning} variant="default" onClick={() => run('security')}>
            Run security self-test
          </Button>
        </WithReason>
      </Group>
      <ProblemText problem={test.problem} />
      <div role="status">
        {attempt && <DeliveryAttempt attempt={attempt} />}
        {checks && <Verdicts checks={checks} />}
      </div>
    </Section>
  );
}

const calls: Record<Check['name'], string> = {
  good: 'Valid request',
  repeated: 'Duplicate request',
  forged: 'Forged signature',
  stale: 'Expired timestamp (six minutes old)',
  mismatched: 'Headers that don’t match the body',
};

function Verdicts({ checks }: { checks: Check[] }) {
  const passed = checks.filter(({ isPassed }) => isPassed).length;
  const isValidAccepted = checks.find(({ name }) => name === 'good')?.isPassed;
  return (
    <Stack gap="xs">
      <Text fw={600}>
        {passed}/{checks.length} checks passed
      </Text>
      {!isValidAccepted && (
        <Text>
          Fix the first check before you rely on the others. A server that rejects everything also rejects bad requests.
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
            <b>{calls[check.name]}:</b> {check.isPassed ? 'Passed' : 'Failed'}{' '}
            {check.status === null ? '(no response)' : `(HTTP ${check.status})`}
            <Text c={check.isPassed ? 'dimmed' : undefined!}>{check.advice}</Text>
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}
