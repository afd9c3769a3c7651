import { Alert, Button, Group, Radio, Stack, Text, Textarea } from '@mantine/core';
import { api, call, ProblemText, Section, textIn, TextLink, useAction, WithReason } from '@parley/portal-kit/ui';
import { IconHelpCircle, IconListCheck } from '@tabler/icons-react';
import { useState, type FormEvent } from 'react';
import { useMe } from '../../../parts/me.ts';
import { whyNot } from '../../../parts/rights.ts';
import type { RunDetails } from './labels.ts';

/** Resolves a run with an unknown result: by a status check, or by recording what a person found out. */
export function FindOut({ run }: { run: RunDetails }) {
  const reason = whyNot(useMe(), 'integration.manage', 'private_actions');
  const unknownSteps = run.steps.filter(({ state }) => state === 'unknown');
  if (run.steps.length > 0)
    return (
      <Section title="Resolve this run">
        <Text>
          This run is a workflow. Resolve its unknown step and it continues automatically:{' '}
          {unknownSteps.map(({ id, title }) => (
            <TextLink key={id} to={`/developers/runs/${id}`}>
              {title}
            </TextLink>
          ))}
        </Text>
      </Section>
    );
  return (
    <Section title="Resolve this run">
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
        <b>Check the status.</b> We send “action.status” to your system once. This doesn’t run the action again.
      </Text>
      <ProblemText problem={ask.problem} />
      {isUnclear && (
        <Alert color="orange" icon={<IconHelpCircle size={18} aria-hidden />} role="status">
          Your system gave no clear response. See the last attempt below. Check your system yourself and record the
          result.
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
          Check status
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
          <b>Record the result.</b> First look up the run ID or its inputs in your system.
          {run.conversationId && ' The visitor is notified. You can’t undo this.'}
        </Text>
        <Radio.Group label="What happened?" value={outcome} onChange={setOutcome} required>
          <Group gap="lg" mt={4}>
            <Radio value="succeeded" label="The action succeeded" required disabled={reason !== undefined} />
            <Radio value="failed" label="The action failed or never ran" disabled={reason !== undefined} />
          </Group>
        </Radio.Group>
        <Textarea
          name="note"
          label="Note (optional)"
          description="How you checked. Your team sees this on the run."
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
            Record result
          </Button>
        </WithReason>
      </Stack>
    </form>
  );
}
