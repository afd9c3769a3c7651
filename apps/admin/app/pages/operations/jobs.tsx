import { Anchor, Button, NativeSelect, Table } from '@mantine/core';
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
  toast,
  useAction,
  usePolling,
  WithReason,
} from '@parley/portal-kit/ui';
import { useState } from 'react';
import { Link, useLoaderData, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { ErrorPage } from '../../parts/error-page.tsx';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { ConfirmWithReason } from '../../parts/confirm-with-reason.tsx';
import type { Job } from './labels.ts';

export const meta = () => [{ title: 'Jobs · Parley admin' }];
export const ErrorBoundary = ErrorPage;

const kinds = {
  overdue: {
    label: 'Overdue',
    description: 'Work that should have finished minutes ago, oldest first. The sweeper retries it every 30 seconds.',
    empty: 'No overdue jobs',
  },
  email: {
    label: 'Failed emails',
    description: 'Rejected by the mail server, or undelivered for days. Kept for 30 days.',
    empty: 'No failed emails',
  },
  sync: { label: 'Running syncs', description: 'Knowledge sources syncing right now.', empty: 'No running syncs' },
  'failed-sync': {
    label: 'Failed syncs',
    description: 'Bots keep using the knowledge from the last successful sync. Most causes are on the source website.',
    empty: 'No failed syncs',
  },
  replay: {
    label: 'Webhook replays',
    description: 'Past deliveries being queued again.',
    empty: 'No running replays',
  },
  erasure: {
    label: 'Scheduled erasures',
    description: 'Deleted tenants and the date their data is erased. Until then, you can restore them.',
    empty: 'No scheduled erasures',
  },
} as const;
type Kind = keyof typeof kinds;
const isKind = (value: string | null): value is Kind => value !== null && value in kinds;

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { searchParams } = new URL(request.url);
  const [kindParam, cursor] = [searchParams.get('kind'), searchParams.get('cursor')];
  const kind: Kind = isKind(kindParam) ? kindParam : 'overdue';
  const query = { limit: 25, kind, ...(cursor && { cursor }) };
  const page = read(await context.get(portalContext).service.GET('/admin/jobs', { params: { query } }), request);
  return { ...page, kind };
}
export const clientLoader = keepLast<typeof loader>();

export default function Jobs() {
  const { data, nextCursor, kind } = useLoaderData<typeof loader>();
  const [search, setSearch] = useSearchParams();
  usePolling(5_000, !search.has('cursor'));
  const { label, description, empty } = kinds[kind];
  return (
    <Section
      title={label}
      description={description}
      actions={
        <NativeSelect
          size="xs"
          aria-label="Job type"
          value={kind}
          onChange={({ currentTarget: { value } }) => setSearch({ kind: value })}
          data={Object.entries(kinds).map(([value, labels]) => ({ value, label: labels.label }))}
        />
      }
    >
      {data.length === 0 ? (
        <Empty title={empty} drawing="check">
          Nothing needs your attention.
        </Empty>
      ) : (
        <Rows
          label={`${label} table`}
          columns={[
            'Job',
            'Subject',
            'Tenant',
            { label: kind === 'erasure' ? 'Date' : 'Since', align: 'right' },
            'Details',
            'Actions',
          ]}
          minWidth={860}
          hasActions
        >
          {data.map((job) => (
            <Row key={`${job.tenantId}${job.id}`} job={job} />
          ))}
        </Rows>
      )}
      <Pager nextCursor={nextCursor} />
    </Section>
  );
}

const Row = ({ job }: { job: Job }) => (
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
    <Table.Td ta="right">{job.canRetry && <Retry job={job} />}</Table.Td>
  </Table.Tr>
);

function progressOf({ done, total, error, attempts }: Job): string {
  const lines = [
    done !== null && total !== null && total > 0 && `${done} of ${total} synced`,
    done !== null && total === null && `${done} queued`,
    error,
    attempts !== null && (attempts === 1 ? '1 attempt' : `${attempts} attempts`),
  ].filter((line) => typeof line === 'string');
  return lines.length > 0 ? lines.join(' · ') : '–';
}

const effects: Partial<Record<Kind, string>> = {
  overdue: 'Runs the sweeper on every worker now. It picks up this job and everything else that’s overdue.',
  email: 'Sends the email again with a full set of attempts. Fix the cause first, or it will fail again.',
  'failed-sync': 'Syncs the source again from scratch. The tenant sees your request in its audit log.',
  replay: 'Continues where it stopped. The tenant sees your request in its audit log.',
};

function Retry({ job }: { job: Job }) {
  const [isOpen, setOpen] = useState(false);
  const disabledReason = denialReason(useMe(), 'platform.system.manage');
  const { kind, id, tenantId } = job;
  const retry = useAction((reason: string) => {
    if (kind === 'sync' || kind === 'erasure') throw new Error('not for these');
    return call(api.POST('/admin/jobs/retry', { body: { kind, id, tenantId, reason } }));
  });
  return (
    <>
      <WithReason reason={disabledReason}>
        <Button size="compact-xs" variant="light" disabled={disabledReason !== undefined} onClick={() => setOpen(true)}>
          {kind === 'overdue' ? 'Run sweeper' : 'Retry'}
        </Button>
      </WithReason>
      {isOpen && (
        <ConfirmWithReason
          title={job.what}
          confirmLabel={kind === 'overdue' ? 'Run sweeper' : 'Retry'}
          action={retry}
          onSend={(reason) =>
            void retry.run(reason).then((done) => {
              if (!done) return;
              setOpen(false);
              toast({ message: done.text });
            })
          }
          onClose={() => {
            retry.clear();
            setOpen(false);
          }}
        >
          {effects[kind]}
        </ConfirmWithReason>
      )}
    </>
  );
}
