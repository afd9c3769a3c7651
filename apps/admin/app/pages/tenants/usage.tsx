import { Progress, Select, SimpleGrid, Stack, Table, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import type { Schemas } from '@parley/portal-kit/service';
import { Empty, Rows, Section, TrendChart } from '@parley/portal-kit/ui';
import { useLoaderData, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { amount, dollars } from './labels.ts';

const spans = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
];

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const daysParam = new URL(request.url).searchParams.get('days');
  const days = spans.some(({ value }) => value === daysParam) ? Number(daysParam) : 30;
  const path = { id: params['tenantId'] ?? '' };
  const response = await service.GET('/admin/tenants/{id}/usage', { params: { path, query: { days } } });
  return { days, usage: read(response, request) };
}

type Usage = Schemas['Usage'];
type Day = Usage['total'] & { day: string };

/** Usage per day over all bots, newest first. */
function byDay(rows: Usage['days']): Day[] {
  const sums = new Map<string, Day>();
  for (const { botId: _any, ...row } of rows) {
    const sum = sums.get(row.day);
    if (!sum) sums.set(row.day, { ...row });
    else {
      for (const name of [...metrics, 'spend'] as const) sum[name] += row[name];
    }
  }
  return [...sums.values()].toSorted((one, other) => (one.day < other.day ? 1 : -1));
}

export default function TenantUsage() {
  const { days, usage } = useLoaderData<typeof loader>();
  const [, setSearch] = useSearchParams();
  const rows = byDay(usage.days);
  return (
    <Stack gap="lg">
      <Section title="Plan usage" description="Days and months are in UTC.">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Allowance label="Messages this month" format={amount} {...usage.messagesThisMonth} />
          <Allowance label="AI spend today" format={dollars.format} {...usage.modelSpendToday} />
        </SimpleGrid>
      </Section>
      <TrendChart
        title="Messages per day"
        points={rows.map(({ day, messages }) => ({ day, value: messages })).toReversed()}
      />
      <Section
        title="Daily usage"
        actions={
          <Select
            aria-label="Time range"
            data={spans}
            value={String(days)}
            onChange={(value) => setSearch(value ? { days: value } : {}, { preventScrollReset: true })}
            allowDeselect={false}
            w={130}
          />
        }
      >
        {rows.length === 0 ? (
          <Empty title="No usage" drawing="chart">
            This tenant’s bots received no messages in this period.
          </Empty>
        ) : (
          <Rows label="Daily usage table" columns={['Day', ...columns]} minWidth={760}>
            <Table.Tr fw={600}>
              <Table.Td>Total</Table.Td>
              <Numbers {...usage.total} />
            </Table.Tr>
            {rows.map((row) => (
              <Table.Tr key={row.day}>
                <Table.Td style={{ whiteSpace: 'nowrap' }}>{row.day}</Table.Td>
                <Numbers {...row} />
              </Table.Tr>
            ))}
          </Rows>
        )}
      </Section>
    </Stack>
  );
}

const columns = ['Messages', 'Answers', 'AI answers', 'Input tokens', 'Output tokens', 'AI spend'].map((label) => ({
  label,
  align: 'right' as const,
}));
const metrics = ['messages', 'turns', 'modelTurns', 'tokensIn', 'tokensOut'] as const;

const Numbers = (amounts: Usage['total']) => (
  <>
    {metrics.map((name) => (
      <Table.Td key={name}>{amount(amounts[name])}</Table.Td>
    ))}
    <Table.Td>{dollars.format(amounts.spend)}</Table.Td>
  </>
);

interface AllowanceProps {
  label: string;
  used: number;
  reserved: number;
  allowed: number;
  format(n: number): string;
}

function Allowance({ label, used, reserved, allowed, format }: AllowanceProps) {
  const share = allowed > 0 ? ((used + reserved) / allowed) * 100 : 0;
  const usageText = `${format(used)} of ${format(allowed)}`;
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text>
        {usageText}
        {share >= 100 ? ', limit reached' : share >= 80 ? ', over 80%' : ''}
      </Text>
      <Progress
        value={Math.min(100, share)}
        color={share >= 100 ? 'red' : share >= 80 ? 'orange' : 'teal'}
        aria-label={`${label}: ${usageText}`}
      />
    </div>
  );
}
