import { Code, Group, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import { Ago, Empty, Id, keepLast, Page, Section, Snippet, Status, TextLink, usePolling } from '@parley/portal-kit/ui';
import { useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { TabError } from '../parts/tab-error.tsx';
import { effectOf, riskOf } from '../../bots/actions/labels.ts';
import { ResolveRun } from './resolve-run.tsx';
import { AttemptList } from './attempt-list.tsx';
import { RunTable } from './runs.tsx';
import { statusLabelOf, isInProgress, outcomeText, type RunDetails } from './labels.ts';

export const meta = ({ data }: { data?: { run: RunDetails } }) => [
  { title: `${data ? `Run: ${data.run.title}` : 'Run'} · Parley` },
];
export const ErrorBoundary = TabError;

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const id = params['runId'] ?? '';
  return read(await service.GET('/action-runs/{id}', { params: { path: { id } } }), request);
}

export const clientLoader = keepLast<typeof loader>();

export default function RunPage() {
  const { run } = useLoaderData<typeof loader>();
  usePolling(3_000, isInProgress(run) || run.state === 'awaiting_confirmation');
  const { attempts, steps } = run;
  return (
    <Page title={run.title} description={outcomeText(run)}>
      <div>
        <TextLink to={run.parentId ? `/developers/runs/${run.parentId}` : '/developers/runs'}>
          {run.parentId ? 'Back to the workflow' : 'All runs'}
        </TextLink>
      </div>
      {run.state === 'unknown' && <ResolveRun run={run} />}
      <RunSummary run={run} />
      {steps.length === 0 && (
        <Section
          title="Attempts"
          description="Each attempt is recorded before it’s sent. All attempts use the run ID as the Idempotency-Key."
        >
          {attempts.length === 0 ? (
            <Empty title="No attempts">Each request to your system appears here with its result.</Empty>
          ) : (
            <AttemptList attempts={attempts} />
          )}
        </Section>
      )}
      {steps.length > 0 && (
        <Section
          title="Steps"
          description="In the order they ran. If a step failed, the steps that undo earlier ones follow it."
        >
          <RunTable label="Step list" runs={steps} />
        </Section>
      )}
      <Section title="Inputs">
        <Snippet label="As your system receives them">{JSON.stringify(run.args, null, 2)}</Snippet>
        <Text size="sm">
          Hash: <Code style={{ wordBreak: 'break-all' }}>{run.argsHash}</Code>
        </Text>
        <Text size="sm" c="dimmed">
          We send the inputs only if they match the hash the visitor confirmed.
        </Text>
      </Section>
      <RunResult run={run} />
    </Page>
  );
}

function RunResult({ run: { output, display, error } }: { run: RunDetails }) {
  if (!output && !display && !error) return null;
  return (
    <Section title="Result">
      {error && (
        <Text>
          Your system said: {error.message || 'no message'} <Code>{error.code}</Code>
        </Text>
      )}
      {display && <Text>The visitor saw: “{display}”</Text>}
      {output !== null && output !== undefined && <Snippet label="Output">{JSON.stringify(output, null, 2)}</Snippet>}
    </Section>
  );
}

function RunSummary({ run }: { run: RunDetails }) {
  const { tone, label } = statusLabelOf(run);
  return (
    <Section title="Details" actions={<Status tone={tone}>{label}</Status>}>
      <Group gap="xl" align="flex-start" style={{ rowGap: 12 }}>
        <Fact label="Run ID" value={<Id id={run.id} />} />
        <Fact
          label="Action"
          value={
            <TextLink to={`/bots/${run.botId}/actions/${run.actionId}`}>
              <Code>{run.name}</Code>
            </TextLink>
          }
        />
        <Fact label="Risk" value={riskOf(run.risk)} />
        <Fact label="If there is no response" value={effectOf(run.effect)} />
        <Fact
          label="Conversation"
          value={
            run.conversationId ? (
              <TextLink to={`/conversations/${run.conversationId}`}>View conversation</TextLink>
            ) : (
              'None (test run)'
            )
          }
        />
        <Fact label="Signed-in user" value={run.endUser ?? 'Not authenticated'} />
        <Fact label="Confirmation" value={<Agreed run={run} />} />
        <Fact label="Started" value={<Ago at={run.createdAt} />} />
        <Fact label="Finished" value={<Ago at={run.finishedAt} fallback="Not yet" />} />
        {run.resolvedBy && <Fact label="Resolved by" value={<ResolvedBy by={run.resolvedBy} />} />}
        {run.note && <Fact label="Note" value={run.note} />}
      </Group>
    </Section>
  );
}

const Agreed = ({ run: { confirmedAt, conversationId, state } }: { run: RunDetails }) => {
  if (confirmedAt)
    return (
      <>
        Confirmed by the visitor, <Ago at={confirmedAt} />
      </>
    );
  if (conversationId === null) return <>Not required (test run)</>;
  const confirmationLabels = {
    declined: 'Declined by the visitor',
    expired: 'Expired',
    awaiting_confirmation: 'Pending',
  };
  return (
    <>
      {Object.hasOwn(confirmationLabels, state)
        ? confirmationLabels[state as keyof typeof confirmationLabels]
        : 'Not required'}
    </>
  );
};

const ResolvedBy = ({ by }: { by: string }) =>
  by.startsWith('usr_') ? (
    <>
      A member, <Id id={by} />
    </>
  ) : by.includes('_') ? (
    <>
      Your system, <Id id={by} />
    </>
  ) : (
    <>Status check</>
  );

const Fact = ({ label, value }: { label: string; value: React.ReactNode }) => (
  <div>
    <Text size="xs" c="dimmed">
      {label}
    </Text>
    <Text component="div">{value}</Text>
  </div>
);
