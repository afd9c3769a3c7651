import { Button, Group, NativeSelect, Paper, SimpleGrid, Table, Text, TextInput } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import { Ago, Empty, Page, Pager, Rows, Section, TextLink } from '@parley/portal-kit/ui';
import { IconDownload } from '@tabler/icons-react';
import { Link, useLoaderData, useNavigate, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { Chart } from './chart.tsx';
import { byDay, type DayFigures } from './figures.ts';
import { day, rangeOf } from './range.ts';

export const meta = () => [{ title: 'Insights · Parley' }];

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const { from, to, botId } = rangeOf(request.url);
  const cursor = new URL(request.url).searchParams.get('cursor');
  const query = { from, to, ...(botId && { botId }) };
  const [insights, unanswered, bots] = await Promise.all([
    service.GET('/insights', { params: { query } }),
    service.GET('/insights/unanswered', { params: { query: { ...query, limit: 25, ...(cursor && { cursor }) } } }),
    service.GET('/bots', { params: { query: { limit: 100 } } }),
  ]);
  const { days, total, topSources } = read(insights, request);
  return {
    today: day(Date.now()),
    from,
    to,
    botId: botId ?? '',
    days: byDay(days, from, to),
    total,
    topSources,
    unanswered: read(unanswered, request),
    bots: (bots.data?.data ?? []).map(({ id, name }) => ({ id, name })),
  };
}

const percent = (part: number | null) => (part === null ? '–' : `${Math.round(part * 100)}%`);
const seconds = (value: number) => `${value.toLocaleString('en', { maximumFractionDigits: 1 })} s`;
const dollars = (value: number) => `$${value.toFixed(2)}`;

export default function Insights() {
  const { today, from, to, botId, days, total, topSources, unanswered, bots } = useLoaderData<typeof loader>();
  const [search] = useSearchParams();
  const series = (name: keyof DayFigures) => days.map((row) => ({ day: row.day, value: row[name] as number | null }));
  return (
    <Page
      title="Insights"
      description="How your bots perform and what they couldn’t answer. Days are in UTC."
      actions={
        <Button
          component="a"
          href={`/download/insights.csv?${new URLSearchParams({ from, to, botId }).toString()}`}
          variant="default"
          size="xs"
          leftSection={<IconDownload size={16} aria-hidden />}
        >
          Download CSV
        </Button>
      }
    >
      <Range today={today} from={from} to={to} botId={botId} bots={bots} />
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }}>
        <Figure label="Conversations" value={total.conversations.toLocaleString('en')} />
        <Figure label="Resolved by the bot" value={percent(total.resolutionRate)} />
        <Figure
          label="Rating"
          value={total.ratings.average === null ? '–' : `${total.ratings.average.toFixed(1)} out of 5`}
          note={total.ratings.count === 1 ? '1 rating' : `${total.ratings.count} ratings`}
        />
        <Figure
          label="Unanswered questions"
          value={percent(
            total.answered + total.unanswered === 0 ? null : total.unanswered / (total.answered + total.unanswered),
          )}
          note={`${total.unanswered} of ${total.answered + total.unanswered}`}
        />
        <Figure
          label="Response time"
          value={total.responseMs.p50 === null ? '–' : seconds(total.responseMs.p50 / 1_000)}
          note={total.responseMs.p95 === null ? undefined : `95% within ${seconds(total.responseMs.p95 / 1_000)}`}
        />
        <Figure label="AI spend" value={dollars(total.spend)} />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Chart title="Conversations" description="Conversations started per day." points={series('conversations')} />
        <Chart
          title="Handed off"
          description="Conversations handed off to an agent per day."
          points={series('handedOff')}
        />
        <Chart
          title="Unanswered"
          description="Questions the bot couldn’t answer, per day."
          points={series('unanswered')}
        />
        <Chart title="Rating" description="Average rating per day, from 1 to 5." points={series('ratingAverage')} />
        <Chart
          title="Response time"
          description="Average time to a complete answer, per day."
          points={series('responseSeconds')}
          format={seconds}
        />
        <Chart title="AI spend" description="AI spend per day." points={series('spend')} format={dollars} />
      </SimpleGrid>
      <Section
        title="Unanswered questions"
        description="Identical questions are grouped, most frequent first. Add what’s missing to your bot’s knowledge."
      >
        {unanswered.data.length === 0 ? (
          <Empty title={search.has('cursor') ? 'No more questions' : 'No unanswered questions'}>
            Questions your bots couldn’t answer in this period appear here.
          </Empty>
        ) : (
          <Rows label="Question list" columns={['Question', 'Times asked', 'Last asked', 'Bot']}>
            {unanswered.data.map(({ question, times, lastAskedAt, conversationId, botId: bot }) => (
              <Table.Tr key={bot + question}>
                <Table.Td>
                  <TextLink to={`/conversations/${conversationId}`}>{question}</TextLink>
                </Table.Td>
                <Table.Td>{times}</Table.Td>
                <Table.Td>
                  <Ago at={lastAskedAt} />
                </Table.Td>
                <Table.Td>
                  <TextLink to={`/bots/${bot}/knowledge`}>{bots.find(({ id }) => id === bot)?.name ?? 'Bot'}</TextLink>
                </Table.Td>
              </Table.Tr>
            ))}
          </Rows>
        )}
        <Pager nextCursor={unanswered.nextCursor} />
      </Section>
      <Section title="Most cited sources" description="Number of answers that cite each source.">
        {topSources.length === 0 ? (
          <Text c="dimmed">No sources were cited in this period.</Text>
        ) : (
          <Table>
            <Table.Tbody>
              {topSources.map(({ sourceId, name, citations }) => (
                <Table.Tr key={sourceId}>
                  <Table.Td>{name}</Table.Td>
                  <Table.Td ta="right">{citations.toLocaleString('en')}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Section>
    </Page>
  );
}

interface RangeProps {
  today: string;
  from: string;
  to: string;
  botId: string;
  bots: { id: string; name: string }[];
}

function Range({ today, from, to, botId, bots }: RangeProps) {
  const navigate = useNavigate();
  const updateParams = (change: Record<string, string>) =>
    void navigate(`?${new URLSearchParams({ from, to, botId, ...change }).toString()}`);
  const showLastDays = (days: number) => {
    const firstDay = day(Date.parse(today) - (days - 1) * 86_400_000);
    return `?${new URLSearchParams({ from: firstDay, to: today, botId }).toString()}`;
  };
  return (
    <Group align="flex-end" gap="xs">
      <TextInput
        type="date"
        label="From"
        value={from}
        max={to}
        onChange={(event) => updateParams({ from: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        label="To"
        value={to}
        min={from}
        onChange={(event) => updateParams({ to: event.currentTarget.value })}
      />
      <NativeSelect
        label="Bot"
        value={botId}
        onChange={(event) => updateParams({ botId: event.currentTarget.value })}
        data={[{ value: '', label: 'All bots' }, ...bots.map(({ id, name }) => ({ value: id, label: name }))]}
      />
      {[7, 30, 90].map((days) => (
        <Button key={days} component={Link} to={showLastDays(days)} variant="default">
          Last {days} days
        </Button>
      ))}
    </Group>
  );
}

const Figure = ({ label, value, note }: { label: string; value: string; note?: string | undefined }) => (
  <Paper withBorder p="sm">
    <Text size="sm" c="dimmed">
      {label}
    </Text>
    <Text fz={20} fw={650}>
      {value}
    </Text>
    {note && (
      <Text size="xs" c="dimmed">
        {note}
      </Text>
    )}
  </Paper>
);
