import { Button, Menu } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import { Empty, Page, Section } from '@parley/portal-kit/ui';
import { IconChevronDown, IconDownload } from '@tabler/icons-react';
import { Link, useLoaderData, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { Breakdown } from './breakdown.tsx';
import { Cards } from './cards.tsx';
import { Charts } from './charts.tsx';
import { Comments, commentsCursor } from './comments.tsx';
import { byDay, outcomesByDay } from './figures.ts';
import { Filters } from './filters.tsx';
import { HeatMap } from './heat-map.tsx';
import { OutcomeTable } from './outcomes.tsx';
import { Questions, Sources } from './questions.tsx';
import { day, filtersOf, previousOf, rangeOf } from './range.ts';

export const meta = () => [{ title: 'Insights · Parley' }];

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const range = rangeOf(request.url);
  const before = previousOf(range);
  const { searchParams } = new URL(request.url);
  const [cursor, timeZone] = [searchParams.get('cursor'), searchParams.get('timeZone')];
  const commentsAfter = searchParams.get(commentsCursor);
  const { channel, language, ...ofBot } = filtersOf(request.url);
  const outcomeQuery = { ...range, ...filtersOf(request.url) };
  const [insights, earlier, outcomes, comments, unanswered, bots] = await Promise.all([
    service.GET('/insights', { params: { query: { ...range, ...ofBot } } }),
    service.GET('/insights', { params: { query: { ...before, ...ofBot } } }),
    service.GET('/insights/outcomes', { params: { query: { ...outcomeQuery, ...(timeZone && { timeZone }) } } }),
    service.GET('/insights/comments', {
      params: { query: { ...outcomeQuery, limit: 10, ...(commentsAfter && { cursor: commentsAfter }) } },
    }),
    service.GET('/insights/unanswered', {
      params: { query: { ...range, ...ofBot, limit: 25, ...(cursor && { cursor }) } },
    }),
    service.GET('/bots', { params: { query: { limit: 100 } } }),
  ]);
  const { days, topSources } = read(insights, request);
  const { days: outcomeDays, previousDays, ...figures } = read(outcomes, request);
  return {
    today: day(Date.now()),
    range,
    isFiltered: channel !== undefined || language !== undefined,
    days: outcomesByDay(outcomeDays, range),
    previousDays: outcomesByDay(previousDays, before),
    activity: byDay(days, range),
    previousActivity: byDay(read(earlier, request).days, before),
    figures,
    topSources,
    comments: read(comments, request),
    unanswered: read(unanswered, request),
    bots: (bots.data?.data ?? []).map(({ id, name }) => ({ id, name })),
    // The one that is filtered by, so that it can be seen and removed.
    languages: [...new Set([...(language ? [language] : []), ...figures.languages.map((row) => row.language)])],
  };
}

export default function Insights() {
  const { today, range, isFiltered, figures, bots, languages, ...data } = useLoaderData<typeof loader>();
  const { total, previous, busiestHours } = figures;
  const isEmpty = total.conversations === 0 && previous.conversations === 0;
  return (
    <Page
      title="Insights"
      description="How conversations end, what visitors think, and what your bots couldn’t answer. Days are in UTC."
      actions={<Downloads />}
    >
      <Filters today={today} range={range} bots={bots} languages={languages} />
      {isEmpty ? (
        <Section>
          <Empty
            title="No conversations in this period"
            drawing="chart"
            action={
              <Button component={Link} to="/bots" variant="default">
                Go to bots
              </Button>
            }
          >
            Figures appear with the first conversation on your website. Test conversations aren’t counted.
          </Empty>
        </Section>
      ) : (
        <>
          <Cards total={total} previous={previous} days={data.days} />
          <OutcomeTable total={total} previous={previous} />
          <Charts
            days={data.days}
            previousDays={data.previousDays}
            activity={data.activity}
            previousActivity={data.previousActivity}
            isFiltered={isFiltered}
          />
          <HeatMap counts={busiestHours.counts} timeZone={busiestHours.timeZone} />
          <Breakdown outcomes={figures} bots={bots} />
          <Comments comments={data.comments} />
        </>
      )}
      <Questions unanswered={data.unanswered} bots={bots} isFiltered={isFiltered} />
      {!isEmpty && <Sources sources={data.topSources} isFiltered={isFiltered} />}
    </Page>
  );
}

function Downloads() {
  const [search] = useSearchParams();
  const query = search.toString();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          rightSection={<IconChevronDown size={14} aria-hidden />}
        >
          Download CSV
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={`/download/conversations.csv?${query}`}>
          Conversations (newest 100,000)
        </Menu.Item>
        <Menu.Item component="a" href={`/download/insights.csv?${query}`}>
          Figures per day
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
