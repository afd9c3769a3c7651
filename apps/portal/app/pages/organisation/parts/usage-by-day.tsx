import { Select, Table } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { Empty, Section } from '@parley/portal-kit/ui';
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
    <Section title="Daily usage">
      <Select
        label="Month"
        value={month}
        onChange={choose}
        allowDeselect={false}
        data={months.map((value) => ({ value, label: nameOf(value) }))}
        w={220}
      />
      {days.length === 0 ? (
        <Empty title={`No usage in ${nameOf(month)}`}>Days on which visitors sent messages appear here.</Empty>
      ) : (
        <section className="wide" tabIndex={0} aria-label={`Usage in ${nameOf(month)}`}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Day</Table.Th>
                {columns.map(([name, title]) => (
                  <Table.Th key={name} ta="right">
                    {title}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {days.map((day) => (
                <Row key={day.day} title={day.day} amounts={day} />
              ))}
            </Table.Tbody>
            <Table.Tfoot>
              <Row title="Total" amounts={usage.total} isSum />
            </Table.Tfoot>
          </Table>
        </section>
      )}
    </Section>
  );
}

const Row = ({ title, amounts, isSum = false }: { title: string; amounts: Amounts; isSum?: boolean }) => (
  <Table.Tr fw={isSum ? 600 : 400}>
    <Table.Th scope="row" fw={isSum ? 600 : 400}>
      {title}
    </Table.Th>
    {columns.map(([name]) => (
      <Table.Td key={name} ta="right">
        {name === 'spend' ? dollars.format(amounts[name]) : count.format(amounts[name])}
      </Table.Td>
    ))}
  </Table.Tr>
);
