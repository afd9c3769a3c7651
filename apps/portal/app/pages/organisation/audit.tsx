import { portalContext, read } from '@parley/portal-kit/context';
import { Empty, Pager, Section } from '@parley/portal-kit/ui';
import { useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { AuditFilters, type Filters } from './parts/audit-filters.tsx';
import { AuditTable } from './parts/audit-table.tsx';
import { DownloadCsv } from './parts/audit-csv.tsx';
import { readIfAllowed } from './parts/read-if-allowed.ts';
import { NoPermission } from './parts/no-permission.tsx';

export const meta = () => [{ title: 'Audit log · Parley' }];

const isDay = (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
/** Midnight after that day, because the last day is included. */
const dayAfter = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString();

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const { searchParams } = new URL(request.url);
  const param = (name: string) => searchParams.get(name)?.trim().slice(0, 80) ?? '';
  const filters: Filters = {
    action: param('action'),
    actorId: param('actorId'),
    subjectId: param('subjectId'),
    since: isDay(param('since')) ? param('since') : '',
    until: isDay(param('until')) ? param('until') : '',
  };
  const { action, actorId, subjectId, since, until } = filters;
  const cursor = searchParams.get('cursor');
  const [entries, members] = await Promise.all([
    service.GET('/audit-log', {
      params: {
        query: {
          limit: 25,
          ...(action && { action }),
          ...(actorId && { actorId }),
          ...(subjectId && { subjectId }),
          ...(since && { since: `${since}T00:00:00Z` }),
          ...(until && { until: dayAfter(until) }),
          ...(cursor && { cursor }),
        },
      },
    }),
    service.GET('/members', { params: { query: { limit: 100 } } }),
  ]);
  const people = members.response.ok ? read(members, request).data : [];
  return {
    filters,
    entries: readIfAllowed(entries, request),
    names: Object.fromEntries(people.map(({ userId, name }) => [userId, name])) as Record<string, string>,
  };
}

export default function Audit() {
  const { entries, filters, names } = useLoaderData<typeof loader>();
  if (!entries) return <NoPermission title="Audit log" subject="the audit log" permission="audit.view" />;
  const isFiltered = Object.values(filters).some(Boolean);
  return (
    <Section
      title="Audit log"
      description="A record of every change, newest first. Entries can’t be edited or deleted."
      actions={entries.data.length > 0 && <DownloadCsv entries={entries.data} names={names} />}
    >
      <AuditFilters filters={filters} names={names} />
      {entries.data.length === 0 ? (
        <Empty title={isFiltered ? 'No matching entries' : 'No activity yet'} drawing="search">
          {isFiltered
            ? 'Remove a filter or choose a longer date range.'
            : 'Changes by members, API keys and platform admins appear here.'}
        </Empty>
      ) : (
        <AuditTable entries={entries.data} names={names} />
      )}
      <Pager nextCursor={entries.nextCursor} />
    </Section>
  );
}
