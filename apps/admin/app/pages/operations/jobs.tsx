import { Anchor, Button, NativeSelect, Table, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import {
  Ago,
  api,
  call,
  Empty,
  keepLast,
  Pager,
  Rows,
  Section,
  useAction,
  usePolling,
  WithReason,
} from '@parley/portal-kit/ui';
import { useState } from 'react';
import { Link, useLoaderData, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { ErrorPage } from '../../parts/error-page.tsx';
import { useMe } from '../../parts/me.ts';
import { whyNot } from '../../parts/rights.ts';
import { AskReason } from '../../parts/ask-reason.tsx';
import type { Job } from './words.ts';

export const meta = () => [{ title: 'Jobs · Parley operators' }];
export const ErrorBoundary = ErrorPage;

const kinds = {
  overdue: {
    label: 'Overdue',
    about: 'Should have been done minutes ago, the oldest first. The sweeper calls for all of it every 30 seconds.',
    empty: 'Nothing is overdue',
  },
  letter: {
    label: 'Letters given up',
    about: 'Mail servers refused them, or did not answer for days. They are kept for 30 days.',
    empty: 'No letter was given up',
  },
  sync: { label: 'Syncs that run', about: 'Knowledge that is being read now.', empty: 'No sync runs' },
  'failed-sync': {
    label: 'Syncs that failed',
    about: 'What bots knew before stays as it was. Most causes are at the site that is read.',
    empty: 'No sync has failed',
  },
  replay: {
    label: 'Replays of webhooks',
    about: 'Deliveries of the past that are put into the queue again.',
    empty: 'No replay runs',
  },
  erasure: {
    label: 'Erasures that wait',
    about: 'Deleted tenants, each with the day on which all of it is erased. Until then they can be restored.',
    empty: 'No tenant waits to be erased',
  },
} as const;
type Kind = keyof typeof kinds;
const isKind = (value: string | null): value is Kind => value !== null && value in kinds;

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { searchParams } = new URL(request.url);
  const [asked, cursor] = [searchParams.get('kind'), searchParams.get('cursor')];
  const kind: Kind = isKind(asked) ? asked : 'overdue';
  const query = { limit: 25, kind, ...(cursor && { cursor }) };
  const page = read(await context.get(portalContext).service.GET('/admin/jobs', { params: { query } }), request);
  return { ...page, kind };
}
export const clientLoader = keepLast<typeof loader>();

export default function Jobs() {
  const { data, nextCursor, kind } = useLoaderData<typeof loader>();
  const [search, setSearch] = useSearchParams();
  const [said, setSaid] = useState<string>();
  usePolling(5_000, !search.has('cursor'));
  const { label, about, empty } = kinds[kind];
  return (
    <Section
      title={label}
      about={about}
      actions={
        <NativeSelect
          size="xs"
          aria-label="Kind of job"
          value={kind}
          onChange={({ currentTarget: { value } }) => {
            setSaid(undefined);
            setSearch({ kind: value });
          }}
          data={Object.entries(kinds).map(([value, words]) => ({ value, label: words.label }))}
        />
      }
    >
      {said && <Text role="status">{said}</Text>}
      {data.length === 0 ? (
        <Empty title={empty}>There is nothing to do here at the moment.</Empty>
      ) : (
        <Rows
          label={`Table of jobs: ${label}`}
          heads={['What', 'Of', 'Tenant', kind === 'erasure' ? 'On' : 'Since', 'Progress or problem', 'Actions']}
          minWidth={860}
          hasActions
        >
          {data.map((job) => (
            <Row key={`${job.tenantId}${job.id}`} job={job} onDone={setSaid} />
          ))}
        </Rows>
      )}
      <Pager nextCursor={nextCursor} />
    </Section>
  );
}

const Row = ({ job, onDone }: { job: Job; onDone(text: string): void }) => (
  <Table.Tr style={{ verticalAlign: 'top' }}>
    <Table.Td>{job.what}</Table.Td>
    <Table.Td maw={220} style={{ overflowWrap: 'anywhere' }}>
      {job.subject ?? '–'}
    </Table.Td>
    <Table.Td maw={180} style={{ overflowWrap: 'anywhere' }}>
      {job.tenantId ? (
        <Anchor component={Link} to={`/tenants/${job.tenantId}/health`}>
          {job.tenantName ?? job.tenantId}
        </Anchor>
      ) : (
        '–'
      )}
    </Table.Td>
    <Table.Td style={{ whiteSpace: 'nowrap' }}>
      <Ago at={job.at} />
    </Table.Td>
    <Table.Td maw={320} style={{ overflowWrap: 'anywhere' }}>
      {progressOf(job)}
    </Table.Td>
    <Table.Td ta="right">{job.canRetry && <Retry job={job} onDone={onDone} />}</Table.Td>
  </Table.Tr>
);

function progressOf({ done, total, error, attempts }: Job): string {
  const lines = [
    done !== null && total !== null && total > 0 && `${done} of ${total} read`,
    done !== null && total === null && `${done} put into the queue`,
    error,
    attempts !== null && `Tried ${attempts === 1 ? 'once' : `${attempts} times`}`,
  ].filter((line) => typeof line === 'string');
  return lines.length > 0 ? lines.join(' · ') : '–';
}

const effects: Partial<Record<Kind, string>> = {
  overdue: 'The sweeper of every worker looks at once, at this and all else that is overdue.',
  letter: 'It is sent again, with as many tries as a new one has. Mend the cause first, or it comes back here.',
  'failed-sync': 'The source is read again from the beginning. The tenant sees in its audit log that you asked for it.',
  replay: 'It goes on where it was. The tenant sees in its audit log that you asked for it.',
};

function Retry({ job, onDone }: { job: Job; onDone(text: string): void }) {
  const [isOpen, setOpen] = useState(false);
  const reason = whyNot(useMe(), 'platform.system.manage');
  const { kind, id, tenantId } = job;
  const retry = useAction((why: string) => {
    if (kind === 'sync' || kind === 'erasure') throw new Error('not for these');
    return call(api.POST('/admin/jobs/retry', { body: { kind, id, tenantId, reason: why } }));
  });
  return (
    <>
      <WithReason reason={reason}>
        <Button size="compact-xs" variant="light" disabled={reason !== undefined} onClick={() => setOpen(true)}>
          {kind === 'overdue' ? 'Look now' : 'Retry'}
        </Button>
      </WithReason>
      {isOpen && (
        <AskReason
          title={job.what}
          verb={kind === 'overdue' ? 'Look now' : 'Retry'}
          action={retry}
          onSend={(why) =>
            void retry.run(why).then((done) => {
              if (!done) return;
              setOpen(false);
              onDone(done.text);
            })
          }
          onClose={() => {
            retry.forget();
            setOpen(false);
          }}
        >
          {effects[kind]}
        </AskReason>
      )}
    </>
  );
}
