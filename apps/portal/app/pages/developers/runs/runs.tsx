import { Anchor, Code, NativeSelect, Table, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import { Ago, Empty, keepLast, Page, Pager, Rows, Section, Status, TextLink, usePolling } from '@parley/portal-kit/ui';
import { Link, useLoaderData, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { TabError } from '../parts/tab-error.tsx';
import { endOf, isState, stateWords, states, type Run } from './words.ts';

export const meta = () => [{ title: 'Runs · Parley' }];
export const ErrorBoundary = TabError;

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
  const [search, setSearch] = useSearchParams();
  const state = search.get('state');
  const filter = (value: string) =>
    setSearch((before) => {
      before.delete('cursor');
      if (value) before.set('state', value);
      else before.delete('state');
      return before;
    });
  usePolling(5_000, true);
  return (
    <Page title="Runs" about="Each time an action was to be done: for a visitor, or when one of you tried it.">
      {unknown.length > 0 && (
        <Section
          title="Nobody knows how these ended"
          about="Your system was called and gave no clear answer, and it may not be called twice. Open one, look it up in your system, and say what happened: the visitor is told."
        >
          <RunTable label="Table of unknown runs" runs={unknown} />
          {hasMoreUnknown && (
            <Text>
              <TextLink to="/developers/runs?state=unknown">See all of them</TextLink>
            </Text>
          )}
        </Section>
      )}
      <Section
        title={isState(state) ? `Runs: ${stateWords[state].word.toLowerCase()}` : 'All runs'}
        about={search.has('actionId') ? <Only /> : 'Newest first. The steps of a workflow stand on its page.'}
        actions={
          <NativeSelect
            size="xs"
            aria-label="State"
            value={isState(state) ? state : ''}
            onChange={({ currentTarget: { value } }) => filter(value)}
            data={[
              { value: '', label: 'Every state' },
              ...states.map((value) => ({ value, label: stateWords[value].word })),
            ]}
          />
        }
      >
        {runs.length === 0 ? (
          <Empty title={isState(state) ? 'None is in this state' : 'No runs yet'}>
            A run is one time that an action was to be done. Give a bot an <TextLink to="/bots">action</TextLink> and
            try it there: it stands here then, with every call that was made.
          </Empty>
        ) : (
          <RunTable label="Table of runs" runs={runs} />
        )}
        <Pager nextCursor={nextCursor} />
      </Section>
    </Page>
  );
}

const Only = () => (
  <>
    Only those of one action, newest first. <TextLink to="/developers/runs">See all runs</TextLink>
  </>
);

export const RunTable = ({ label, runs }: { label: string; runs: Run[] }) => (
  <Rows label={label} heads={['Action', 'How it ended', 'For', 'Begun', 'Ended']} minWidth={760}>
    {runs.map((run) => (
      <Table.Tr key={run.id}>
        <Table.Td maw={300}>
          <Anchor component={Link} to={`/developers/runs/${run.id}`} fw={600}>
            {run.title}
          </Anchor>
          <div>
            <Code>{run.name}</Code>
          </div>
        </Table.Td>
        <Table.Td>
          <Status tone={endOf(run).tone}>{endOf(run).word}</Status>
        </Table.Td>
        <Table.Td>
          <ForWhom run={run} />
        </Table.Td>
        <Table.Td>
          <Ago at={run.createdAt} />
        </Table.Td>
        <Table.Td>
          <Ago at={run.finishedAt} never="not yet" />
        </Table.Td>
      </Table.Tr>
    ))}
  </Rows>
);

function ForWhom({ run: { parentId, step, isCompensation, conversationId, isTest } }: { run: Run }) {
  if (parentId !== null)
    return (
      <TextLink to={`/developers/runs/${parentId}`}>
        {isCompensation ? `Undoes step ${step ?? ''}` : `Step ${step ?? ''} of a workflow`}
      </TextLink>
    );
  if (conversationId !== null) return <TextLink to={`/conversations/${conversationId}`}>A conversation</TextLink>;
  return <>{isTest ? 'Tried by one of you' : 'Nobody'}</>;
}
