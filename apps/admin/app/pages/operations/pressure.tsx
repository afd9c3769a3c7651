import { Anchor, NativeSelect, Progress, Table, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import type { Schemas } from '@parley/portal-kit/service';
import { Empty, keepLast, Rows, Section, Status, usePolling } from '@parley/portal-kit/ui';
import { Link, useLoaderData, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { ErrorPage } from '../../parts/error-page.tsx';
import { number } from './words.ts';

export const meta = () => [{ title: 'Limits and budgets · Parley operators' }];
export const ErrorBoundary = ErrorPage;

type Pressure = Schemas['Pressure'];
type Budget = Pressure['budgets'][number];

export async function loader({ context, request }: LoaderFunctionArgs) {
  const hours = new URL(request.url).searchParams.get('hours') === '1' ? 1 : 24;
  const { service } = context.get(portalContext);
  return { ...read(await service.GET('/admin/pressure', { params: { query: { hours } } }), request), hours };
}
export const clientLoader = keepLast<typeof loader>();

export default function PressurePage() {
  const { refusals, budgets, hours } = useLoaderData<typeof loader>();
  const [, setSearch] = useSearchParams();
  usePolling(10_000, true);
  return (
    <>
      <Section
        title="Refused for asking too often"
        about="Answers 429, the most first. A tenant that is refused all day may need another limit, or has a program that does not wait."
        actions={
          <NativeSelect
            size="xs"
            aria-label="Time"
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
        title="Near a budget"
        about="Four fifths or more of a month’s messages or a day’s spend on models. At the limit chats fall back or are refused: raise it, or talk to the tenant."
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
    <>Not known, by address</>
  );

function Refusals({ refusals }: Pick<Pressure, 'refusals'>) {
  if (!refusals) return <Text>Nobody knows while Valkey is away: it counts them.</Text>;
  if (refusals.length === 0) return <Empty title="Nobody was refused">Everybody stayed within their limits.</Empty>;
  return (
    <Rows label="Table of refusals" heads={['Tenant', 'Limit', 'Times refused']} minWidth={420}>
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

const Budgets = ({ budgets }: Pick<Pressure, 'budgets'>) =>
  budgets.length === 0 ? (
    <Empty title="Nobody is near a limit">No tenant has used four fifths of a budget.</Empty>
  ) : (
    <Rows label="Table of budgets" heads={['Tenant', 'Plan', 'Budget', 'Used', 'Of it']} minWidth={640}>
      {budgets.map((budget) => (
        <Table.Tr key={`${budget.tenantId}${budget.limit}`}>
          <Table.Td>
            <Tenant {...budget} />
          </Table.Td>
          <Table.Td>{budget.plan}</Table.Td>
          <Table.Td>{budget.limit === 'messages.per_month' ? 'Messages this month' : 'Models today'}</Table.Td>
          <Table.Td>
            {amount(budget, budget.used + budget.reserved)} of {amount(budget, budget.allowed)}
          </Table.Td>
          <Table.Td>
            <Status tone={budget.percent >= 100 ? 'bad' : 'warn'}>{budget.percent} %</Status>
            <Progress
              mt={4}
              value={Math.min(100, budget.percent)}
              color={budget.percent >= 100 ? 'red' : 'orange'}
              aria-label={`${budget.percent} % used`}
            />
          </Table.Td>
        </Table.Tr>
      ))}
    </Rows>
  );
