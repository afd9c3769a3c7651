import { Alert, Button, Group, Radio, Stack, Text, Textarea } from '@mantine/core';
import { api, call, ProblemText, Section, trimmedField, TextLink, useAction, WithReason } from '@parley/portal-kit/ui';
import { IconHelpCircle, IconListCheck } from '@tabler/icons-react';
import { useState, type FormEvent } from 'react';
import { useMe } from '../../../parts/me.ts';
import { denialReason } from '../../../parts/rights.ts';
import type { RunDetails } from './labels.ts';

/** Resolves a run with an unknown result: by a status check, or by recording what a person found out. */
export function ResolveRun({ run }: { run: RunDetails }) {
  const reason = denialReason(useMe(), 'integration.manage', 'private_actions');
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
      <CheckStatus run={run} reason={reason} />
      <RecordOutcome run={run} reason={reason} />
    </Section>
  );
}

interface Props {
  run: RunDetails;
  reason: string | undefined;
}

function CheckStatus({ run, reason }: Props) {
  const [isStillUnknown, setStillUnknown] = useState(false);
  const checkStatus = useAction(async () => {
    setStillUnknown(false);
    const path = { id: run.id };
    const { run: updated } = await call(api.POST('/action-runs/{id}/reconcile', { params: { path } }));
    setStillUnknown(updated.state === 'unknown');
  });
  return (
    <Stack gap="xs">
      <Text>
        <b>Check the status.</b> We send “action.status” to your system once. This doesn’t run the action again.
      </Text>
      <ProblemText problem={checkStatus.problem} />
      {isStillUnknown && (
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
          loading={checkStatus.isRunning}
          onClick={() => void checkStatus.run()}
          leftSection={<IconHelpCircle size={16} aria-hidden />}
        >
          Check status
        </Button>
      </WithReason>
    </Stack>
  );
}

function RecordOutcome({ run, reason }: Props) {
  const [outcome, setOutcome] = useState('');
  const record = useAction((result: 'succeeded' | 'failed', note: string) =>
    call(api.POST('/action-runs/{id}/resolve', { params: { path: { id: run.id } }, body: { outcome: result, note } })),
  );
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const note = trimmedField(new FormData(event.currentTarget), 'note');
    if (outcome === 'succeeded' || outcome === 'failed') void record.run(outcome, note);
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
        <ProblemText problem={record.problem} />
        <WithReason reason={reason}>
          <Button
            type="submit"
            w="fit-content"
            disabled={reason !== undefined || outcome === ''}
            loading={record.isRunning}
            leftSection={<IconListCheck size={16} aria-hidden />}
          >
            Record result
          </Button>
        </WithReason>
      </Stack>
    </form>
  );
}
