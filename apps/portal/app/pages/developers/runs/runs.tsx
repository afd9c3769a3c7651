import { Code, Table, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import {
  Ago,
  Empty,
  FilterChips,
  keepLast,
  Page,
  Pager,
  RowLink,
  Rows,
  Section,
  Status,
  TextLink,
  usePolling,
} from '@parley/portal-kit/ui';
import { useLoaderData, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { TabError } from '../parts/tab-error.tsx';
import { statusLabelOf, isState, stateLabels, states, type Run } from './labels.ts';

export const meta = () => [{ title: 'Runs · Parley' }];
export const ErrorBoundary = TabError;

const filters = [
  {
    name: 'state',
    label: 'Status',
    options: states.map((value) => ({ value, label: stateLabels[value].label })),
  },
];

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const { searchParams } = new URL(request.url);
  const [state, cursor, actionId] = ['state', 'cursor', 'actionId'].map((name) => searchParams.get(name));
  const query = { limit: 25, ...(actionId && { actionId }) };
  const filter = {
    ...query,
    ...(cursor && { cursor }),
    ...(isState(state ?? null) && { state: state as Run['state'] }),
  };
  const isFirst = !cursor && !state;
  const [page, unknown] = await Promise.all([
    service.GET('/action-runs', { params: { query: filter } }),
    isFirst ? service.GET('/action-runs', { params: { query: { ...query, state: 'unknown' } } }) : undefined,
  ]);
  const { data, nextCursor } = read(page, request);
  const open = unknown && read(unknown, request);
  return { runs: data, nextCursor, unknown: open?.data ?? [], hasMoreUnknown: (open?.nextCursor ?? null) !== null };
}

export const clientLoader = keepLast<typeof loader>();

export default function Runs() {
  const { runs, nextCursor, unknown, hasMoreUnknown } = useLoaderData<typeof loader>();
  const [search] = useSearchParams();
  const state = search.get('state');
  usePolling(5_000, true);
  return (
    <Page title="Runs" description="Every time an action runs, for a visitor or as a test.">
      {unknown.length > 0 && (
        <Section
          title="Needs review"
          description="Your system gave no clear response to these runs, and they can’t be retried safely. Open a run, check your system and record the result. The visitor is then notified."
        >
          <RunTable label="Runs that need review" runs={unknown} />
          {hasMoreUnknown && (
            <Text>
              <TextLink to="/developers/runs?state=unknown">View all</TextLink>
            </Text>
          )}
        </Section>
      )}
      <Section
        title={isState(state) ? `Runs: ${stateLabels[state].label.toLowerCase()}` : 'All runs'}
        description={
          search.has('actionId') ? <FilteredDescription /> : 'Newest first. Open a workflow to see its steps.'
        }
        actions={<FilterChips filters={filters} />}
      >
        {runs.length === 0 ? (
          <Empty title={isState(state) ? 'No runs with this status' : 'No runs yet'} drawing="bolt">
            Runs of your bots’ actions appear here with their attempts. Add an action to a{' '}
            <TextLink to="/bots">bot</TextLink> and test it.
          </Empty>
        ) : (
          <RunTable label="Run list" runs={runs} />
        )}
        <Pager nextCursor={nextCursor} />
      </Section>
    </Page>
  );
}

const FilteredDescription = () => (
  <>
    Runs of one action, newest first. <TextLink to="/developers/runs">View all runs</TextLink>
  </>
);

export const RunTable = ({ label, runs }: { label: string; runs: Run[] }) => (
  <Rows
    label={label}
    columns={[
      'Action',
      'Status',
      'Source',
      { label: 'Started', align: 'right' },
      { label: 'Finished', align: 'right' },
    ]}
    minWidth={760}
  >
    {runs.map((run) => (
      <Table.Tr key={run.id}>
        <Table.Td maw={300}>
          <RowLink to={`/developers/runs/${run.id}`}>{run.title}</RowLink>
          <div>
            <Code>{run.name}</Code>
          </div>
        </Table.Td>
        <Table.Td>
          <Status tone={statusLabelOf(run).tone}>{statusLabelOf(run).label}</Status>
        </Table.Td>
        <Table.Td>
          <RunSource run={run} />
        </Table.Td>
        <Table.Td>
          <Ago at={run.createdAt} />
        </Table.Td>
        <Table.Td>
          <Ago at={run.finishedAt} fallback="not yet" />
        </Table.Td>
      </Table.Tr>
    ))}
  </Rows>
);

function RunSource({ run: { parentId, step, isCompensation, conversationId, isTest } }: { run: Run }) {
  if (parentId !== null)
    return (
      <TextLink to={`/developers/runs/${parentId}`}>
        {isCompensation ? `Undoes step ${step ?? ''}` : `Step ${step ?? ''} of a workflow`}
      </TextLink>
    );
  if (conversationId !== null) return <TextLink to={`/conversations/${conversationId}`}>Conversation</TextLink>;
  return <>{isTest ? 'Test run' : '–'}</>;
}
