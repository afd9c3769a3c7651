import { Select, Table } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { Empty, Rows, Section, TrendChart } from '@parley/portal-kit/ui';
import { useSearchParams } from 'react-router';

type Usage = Schemas['Usage'];
type Amounts = Usage['total'];

const count = new Intl.NumberFormat('en');
const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 4 });
const monthFormat = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const nameOf = (month: string) => monthFormat.format(Date.parse(`${month}-01T00:00:00Z`));

const columns: [keyof Amounts, string][] = [
  ['messages', 'Messages'],
  ['turns', 'Answers'],
  ['modelTurns', 'AI answers'],
  ['tokensIn', 'Input tokens'],
  ['tokensOut', 'Output tokens'],
  ['spend', 'AI spend'],
];

/** One row per day, with all bots added up. */
function byDay(days: Usage['days']): (Amounts & { day: string })[] {
  const sums = new Map<string, Amounts & { day: string }>();
  for (const { botId: _any, ...row } of days) {
    const sum = sums.get(row.day);
    if (!sum) sums.set(row.day, { ...row });
    else for (const [name] of columns) sum[name] += row[name];
  }
  return [...sums.values()].toSorted((a, b) => b.day.localeCompare(a.day));
}

export function UsageByDay({ usage, months, month }: { usage: Usage; months: string[]; month: string }) {
  const [search, setSearch] = useSearchParams();
  const choose = (nextMonth: string | null) => {
    const next = new URLSearchParams(search);
    if (nextMonth === null || nextMonth === months[0]) next.delete('month');
    else next.set('month', nextMonth);
    setSearch(next, { preventScrollReset: true });
  };
  const days = byDay(usage.days);
  return (
    <>
      <TrendChart
        title="Messages per day"
        points={days.map(({ day, messages }) => ({ day, value: messages })).toReversed()}
      />
      <Section
        title="Daily usage"
        actions={
          <Select
            aria-label="Month"
            value={month}
            onChange={choose}
            allowDeselect={false}
            data={months.map((value) => ({ value, label: nameOf(value) }))}
            w={180}
          />
        }
      >
        {days.length === 0 ? (
          <Empty title={`No usage in ${nameOf(month)}`} drawing="chart">
            Days on which visitors sent messages appear here.
          </Empty>
        ) : (
          <Rows
            label={`Usage in ${nameOf(month)}`}
            columns={['Day', ...columns.map(([, label]) => ({ label, align: 'right' as const }))]}
            minWidth={760}
          >
            <Row title="Total" amounts={usage.total} isSum />
            {days.map((day) => (
              <Row key={day.day} title={day.day} amounts={day} />
            ))}
          </Rows>
        )}
      </Section>
    </>
  );
}

const Row = ({ title, amounts, isSum = false }: { title: string; amounts: Amounts; isSum?: boolean }) => (
  <Table.Tr fw={isSum ? 600 : 400}>
    <Table.Td style={{ whiteSpace: 'nowrap' }}>{title}</Table.Td>
    {columns.map(([name]) => (
      <Table.Td key={name}>{name === 'spend' ? dollars.format(amounts[name]) : count.format(amounts[name])}</Table.Td>
    ))}
  </Table.Tr>
);
