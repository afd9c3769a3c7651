import { Code, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import {
  Ago,
  DetailColumns,
  Empty,
  Facts,
  Id,
  keepLast,
  Page,
  Section,
  Snippet,
  Status,
  TextLink,
  usePolling,
} from '@parley/portal-kit/ui';
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
  const { tone, label } = statusLabelOf(run);
  return (
    <Page
      title={run.title}
      breadcrumb={[
        { to: '/developers/runs', label: 'All runs' },
        ...(run.parentId ? [{ to: `/developers/runs/${run.parentId}`, label: 'Workflow' }] : []),
      ]}
      state={<Status tone={tone}>{label}</Status>}
      description={outcomeText(run)}
    >
      <DetailColumns facts={<RunFacts run={run} />}>
        {run.state === 'unknown' && <ResolveRun run={run} />}
        {steps.length === 0 && (
          <Section
            title="Attempts"
            description="Each attempt is recorded before it’s sent. All attempts use the run ID as the Idempotency-Key."
          >
            {attempts.length === 0 ? (
              <Empty title="No attempts" drawing="bolt">
                Each request to your system appears here with its result.
              </Empty>
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
      </DetailColumns>
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

const RunFacts = ({ run }: { run: RunDetails }) => (
  <Section title="Details">
    <Facts
      facts={[
        ['Started', <Ago key="started" at={run.createdAt} />],
        ['Finished', <Ago key="finished" at={run.finishedAt} fallback="Not yet" />],
        [
          'Action',
          <TextLink key="action" to={`/bots/${run.botId}/actions/${run.actionId}`}>
            <Code>{run.name}</Code>
          </TextLink>,
        ],
        ['Risk', riskOf(run.risk)],
        ['If there is no response', effectOf(run.effect)],
        [
          'Conversation',
          run.conversationId ? (
            <TextLink key="conversation" to={`/conversations/${run.conversationId}`}>
              View conversation
            </TextLink>
          ) : (
            'None (test run)'
          ),
        ],
        ['Signed-in user', run.endUser ?? 'Not authenticated'],
        ['Confirmation', <Agreed key="confirmation" run={run} />],
        ['Resolved by', run.resolvedBy ? <ResolvedBy key="resolved" by={run.resolvedBy} /> : undefined],
        ['Note', run.note || undefined],
        ['Run ID', <Id key="id" id={run.id} />],
      ]}
    />
  </Section>
);

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
