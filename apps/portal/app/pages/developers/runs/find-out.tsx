import { Alert, Button, Group, Radio, Stack, Text, Textarea } from '@mantine/core';
import { api, call, ProblemText, Section, textIn, TextLink, useAction, WithReason } from '@parley/portal-kit/ui';
import { IconHelpCircle, IconListCheck } from '@tabler/icons-react';
import { useState, type FormEvent } from 'react';
import { useMe } from '../../../parts/me.ts';
import { whyNot } from '../../../parts/rights.ts';
import type { RunDetails } from './words.ts';

/** For what nobody knows the end of: ask the system, or say what was found in it. */
export function FindOut({ run }: { run: RunDetails }) {
  const reason = whyNot(useMe(), 'integration.manage', 'private_actions');
  const unknownSteps = run.steps.filter(({ state }) => state === 'unknown');
  if (run.steps.length > 0)
    return (
      <Section title="Find out what happened">
        <Text>
          This is a workflow. Find out about its unknown step, and the rest follows by itself:{' '}
          {unknownSteps.map(({ id, title }) => (
            <TextLink key={id} to={`/developers/runs/${id}`}>
              {title}
            </TextLink>
          ))}
        </Text>
      </Section>
    );
  return (
    <Section title="Find out what happened">
      {reason && <Text>{reason}</Text>}
      <Ask run={run} reason={reason} />
      <Say run={run} reason={reason} />
    </Section>
  );
}

interface Props {
  run: RunDetails;
  reason: string | undefined;
}

function Ask({ run, reason }: Props) {
  const [isUnclear, setUnclear] = useState(false);
  const ask = useAction(async () => {
    setUnclear(false);
    const path = { id: run.id };
    const { run: now } = await call(api.POST('/action-runs/{id}/reconcile', { params: { path } }));
    setUnclear(now.state === 'unknown');
  });
  return (
    <Stack gap="xs">
      <Text>
        <b>Ask your system.</b> We send “action.status” once, now. That changes nothing: your system says whether it
        carried this run out.
      </Text>
      <ProblemText problem={ask.problem} />
      {isUnclear && (
        <Alert color="orange" icon={<IconHelpCircle size={18} aria-hidden />} role="status">
          Your system gave no clear answer. What it said is the last line of the ledger. Look it up yourself, and say
          below what happened.
        </Alert>
      )}
      <WithReason reason={reason}>
        <Button
          w="fit-content"
          variant="default"
          disabled={reason !== undefined}
          loading={ask.isRunning}
          onClick={() => void ask.run()}
          leftSection={<IconHelpCircle size={16} aria-hidden />}
        >
          Ask your system
        </Button>
      </WithReason>
    </Stack>
  );
}

function Say({ run, reason }: Props) {
  const [outcome, setOutcome] = useState('');
  const say = useAction((found: 'succeeded' | 'failed', note: string) =>
    call(api.POST('/action-runs/{id}/resolve', { params: { path: { id: run.id } }, body: { outcome: found, note } })),
  );
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const note = textIn(new FormData(event.currentTarget), 'note');
    if (outcome === 'succeeded' || outcome === 'failed') void say.run(outcome, note);
  };
  return (
    <form onSubmit={send}>
      <Stack gap="sm">
        <Text>
          <b>Say what happened.</b> Look in your own system for the run’s id or its arguments first.
          {run.conversationId && ' The visitor is told what you say. It cannot be taken back.'}
        </Text>
        <Radio.Group label="What did you find?" value={outcome} onChange={setOutcome} required>
          <Group gap="lg" mt={4}>
            <Radio value="succeeded" label="It was done" required disabled={reason !== undefined} />
            <Radio value="failed" label="It was not done" disabled={reason !== undefined} />
          </Group>
        </Radio.Group>
        <Textarea
          name="note"
          label="Note (optional)"
          description="How you found out, for whoever asks later."
          maxLength={1_000}
          autosize
          minRows={2}
          maxRows={8}
          maw={640}
          disabled={reason !== undefined}
        />
        <ProblemText problem={say.problem} />
        <WithReason reason={reason}>
          <Button
            type="submit"
            w="fit-content"
            disabled={reason !== undefined || outcome === ''}
            loading={say.isRunning}
            leftSection={<IconListCheck size={16} aria-hidden />}
          >
            Say what happened
          </Button>
        </WithReason>
      </Stack>
    </form>
  );
}
