import { Anchor, NativeSelect, Progress, Table, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import type { Schemas } from '@parley/portal-kit/service';
import { Empty, keepLast, Rows, Section, Status, usePolling } from '@parley/portal-kit/ui';
import { Link, useLoaderData, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { ErrorPage } from '../../parts/error-page.tsx';
import { number } from './labels.ts';

export const meta = () => [{ title: 'Limits and budgets · Parley admin' }];
export const ErrorBoundary = ErrorPage;

type RateLimitUsage = Schemas['RateLimitUsage'];
type Budget = RateLimitUsage['budgets'][number];

export async function loader({ context, request }: LoaderFunctionArgs) {
  const hours = new URL(request.url).searchParams.get('hours') === '1' ? 1 : 24;
  const { service } = context.get(portalContext);
  return { ...read(await service.GET('/admin/rate-limit-usage', { params: { query: { hours } } }), request), hours };
}
export const clientLoader = keepLast<typeof loader>();

export default function RateLimitUsagePage() {
  const { refusals, budgets, hours } = useLoaderData<typeof loader>();
  const [, setSearch] = useSearchParams();
  usePolling(10_000, true);
  return (
    <>
      <Section
        title="Rate-limited requests"
        description="Requests rejected with 429, most first. A tenant that is rate limited all day may need a higher limit, or its client doesn’t back off."
        actions={
          <NativeSelect
            size="xs"
            aria-label="Time range"
            value={String(hours)}
            onChange={({ currentTarget: { value } }) => setSearch({ hours: value })}
            data={[
              { value: '1', label: 'This hour' },
              { value: '24', label: 'Last 24 hours' },
            ]}
          />
        }
      >
        <Refusals refusals={refusals} />
      </Section>
      <Section
        title="Close to a budget limit"
        description="Tenants at 80% or more of their monthly messages or daily AI budget. At the limit, chats fall back or are rejected: raise the limit or contact the tenant."
      >
        <Budgets budgets={budgets} />
      </Section>
    </>
  );
}

const Tenant = ({ tenantId, tenantName }: Pick<Budget, 'tenantId' | 'tenantName'>) =>
  tenantId ? (
    <Anchor component={Link} to={`/tenants/${tenantId}/health`}>
      {tenantName ?? tenantId}
    </Anchor>
  ) : (
    <>Unknown (by IP address)</>
  );

function Refusals({ refusals }: Pick<RateLimitUsage, 'refusals'>) {
  if (!refusals) return <Text>Not available: Valkey, which counts these, isn’t responding.</Text>;
  if (refusals.length === 0)
    return (
      <Empty title="No rate-limited requests" drawing="check">
        All tenants stayed within their limits.
      </Empty>
    );
  return (
    <Rows
      label="Rate-limited requests table"
      columns={['Tenant', 'Limit', { label: 'Rejected', align: 'right' }]}
      minWidth={420}
    >
      {refusals.map(({ tenantId, tenantName, policy, refused }) => (
        <Table.Tr key={`${tenantId}${policy}`}>
          <Table.Td>
            <Tenant tenantId={tenantId} tenantName={tenantName} />
          </Table.Td>
          <Table.Td>{policy}</Table.Td>
          <Table.Td>{number(refused)}</Table.Td>
        </Table.Tr>
      ))}
    </Rows>
  );
}

const amount = ({ limit }: Budget, value: number) =>
  limit === 'model_spend.per_day' ? `$${value.toFixed(2)}` : number(value);

const Budgets = ({ budgets }: Pick<RateLimitUsage, 'budgets'>) =>
  budgets.length === 0 ? (
    <Empty title="No tenants close to a limit" drawing="check">
      Tenants appear here at 80% of a budget.
    </Empty>
  ) : (
    <Rows
      label="Budgets table"
      columns={['Tenant', 'Plan', 'Budget', { label: 'Used', align: 'right' }, { label: 'Share', align: 'right' }]}
      minWidth={640}
    >
      {budgets.map((budget) => (
        <Table.Tr key={`${budget.tenantId}${budget.limit}`}>
          <Table.Td>
            <Tenant {...budget} />
          </Table.Td>
          <Table.Td>{budget.plan}</Table.Td>
          <Table.Td>{budget.limit === 'messages.per_month' ? 'Messages this month' : 'AI spend today'}</Table.Td>
          <Table.Td>
            {amount(budget, budget.used + budget.reserved)} of {amount(budget, budget.allowed)}
          </Table.Td>
          <Table.Td>
            <Status tone={budget.percent >= 100 ? 'bad' : 'warn'}>{budget.percent}%</Status>
            <Progress
              mt={4}
              value={Math.min(100, budget.percent)}
              color={budget.percent >= 100 ? 'red' : 'orange'}
              aria-label={`${budget.percent}% used`}
            />
          </Table.Td>
        </Table.Tr>
      ))}
    </Rows>
  );
