import { Code, Group, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import { Ago, Empty, Id, keepLast, Page, Section, Snippet, Status, TextLink, usePolling } from '@parley/portal-kit/ui';
import { useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { TabError } from '../parts/tab-error.tsx';
import { counted } from '../parts/webhook-words.ts';
import { FindOut } from './find-out.tsx';
import { Ledger } from './ledger.tsx';
import { RunTable } from './runs.tsx';
import { effectWords, endOf, isMoving, outcomeText, type RunDetails } from './words.ts';

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
  usePolling(3_000, isMoving(run) || run.state === 'awaiting_confirmation');
  const { attempts, steps } = run;
  return (
    <Page title={run.title} about={outcomeText(run)}>
      <div>
        <TextLink to={run.parentId ? `/developers/runs/${run.parentId}` : '/developers/runs'}>
          {run.parentId ? 'The workflow that this is a step of' : 'All runs'}
        </TextLink>
      </div>
      {run.state === 'unknown' && <FindOut run={run} />}
      <About run={run} />
      {steps.length === 0 && (
        <Section
          title={attempts.length === 0 ? 'Ledger' : `Ledger: ${counted(attempts.length, 'call')}`}
          about="Each call is written down before it is made, and its end after. All have the same Idempotency-Key: the id of the run."
        >
          {attempts.length === 0 ? (
            <Empty title="Nothing was sent">Each call is listed here, with what your system answered.</Empty>
          ) : (
            <Ledger attempts={attempts} />
          )}
        </Section>
      )}
      {steps.length > 0 && (
        <Section
          title="Steps"
          about="In the order in which they were taken. What undoes a step comes after what failed."
        >
          <RunTable label="Table of steps" runs={steps} />
        </Section>
      )}
      <Section title="Arguments">
        <Snippet label="As your system gets them">{JSON.stringify(run.args, null, 2)}</Snippet>
        <Text size="sm">
          Hash of the arguments: <Code style={{ wordBreak: 'break-all' }}>{run.argsHash}</Code>
        </Text>
        <Text size="sm" c="dimmed">
          What was agreed to and what is sent have the same hash, or nothing is sent.
        </Text>
      </Section>
      <Came run={run} />
    </Page>
  );
}

function Came({ run: { output, display, error } }: { run: RunDetails }) {
  if (!output && !display && !error) return null;
  return (
    <Section title="What came of it">
      {error && (
        <Text>
          Your system said: {error.message || 'nothing more'} <Code>{error.code}</Code>
        </Text>
      )}
      {display && <Text>The visitor was told: “{display}”</Text>}
      {output !== null && output !== undefined && (
        <Snippet label="Output of your system">{JSON.stringify(output, null, 2)}</Snippet>
      )}
    </Section>
  );
}

function About({ run }: { run: RunDetails }) {
  const { tone, word } = endOf(run);
  return (
    <Section title="Run" actions={<Status tone={tone}>{word}</Status>}>
      <Group gap="xl" align="flex-start" style={{ rowGap: 12 }}>
        <Fact label="Run" value={<Id id={run.id} />} />
        <Fact
          label="Action"
          value={
            <TextLink to={`/bots/${run.botId}/actions/${run.actionId}`}>
              <Code>{run.name}</Code>
            </TextLink>
          }
        />
        <Fact label="Risk" value={run.risk === 'write' ? 'Writes' : 'Reads'} />
        <Fact label="After an unclear end" value={effectWords[run.effect]} />
        <Fact
          label="Conversation"
          value={
            run.conversationId ? (
              <TextLink to={`/conversations/${run.conversationId}`}>Open it</TextLink>
            ) : (
              'None: tried by one of you'
            )
          }
        />
        <Fact label="Signed-in person" value={run.endUser ?? 'Nobody vouched for them'} />
        <Fact label="Agreed to" value={<Agreed run={run} />} />
        <Fact label="Begun" value={<Ago at={run.createdAt} />} />
        <Fact label="Ended" value={<Ago at={run.finishedAt} never="Not yet" />} />
        {run.resolvedBy && <Fact label="Found out by" value={<Finder by={run.resolvedBy} />} />}
        {run.note && <Fact label="Note" value={run.note} />}
      </Group>
    </Section>
  );
}

const Agreed = ({ run: { confirmedAt, conversationId, state } }: { run: RunDetails }) => {
  if (confirmedAt)
    return (
      <>
        By the visitor, <Ago at={confirmedAt} />
      </>
    );
  if (conversationId === null) return <>Not asked: it was tried by one of you</>;
  const words = { declined: 'The visitor said no', expired: 'Not in time', awaiting_confirmation: 'Not yet' };
  return <>{Object.hasOwn(words, state) ? words[state as keyof typeof words] : 'Not asked'}</>;
};

const Finder = ({ by }: { by: string }) =>
  by.startsWith('usr_') ? (
    <>
      One of you, <Id id={by} />
    </>
  ) : by.includes('_') ? (
    <>
      Your system, <Id id={by} />
    </>
  ) : (
    <>Our asking your system</>
  );

const Fact = ({ label, value }: { label: string; value: React.ReactNode }) => (
  <div>
    <Text size="xs" c="dimmed">
      {label}
    </Text>
    <Text component="div">{value}</Text>
  </div>
);
