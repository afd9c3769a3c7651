import { SimpleGrid, Text } from '@mantine/core';
import { TrendChart } from '@parley/portal-kit/ui';
import type { DayFigures, OutcomePoint } from './figures.ts';
import { dollars, seconds } from './labels.ts';

interface Props {
  days: OutcomePoint[];
  previousDays: OutcomePoint[];
  activity: DayFigures[];
  previousActivity: DayFigures[];
  /** By channel or language, which only some figures are counted by. */
  isFiltered: boolean;
}

const pick = <T extends { day: string }, K extends keyof T>(rows: T[], name: K) =>
  rows.map((row) => ({ day: row.day, value: row[name] as number | null }));

export const Charts = ({ days, previousDays, activity, previousActivity, isFiltered }: Props) => (
  <>
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <TrendChart
        title="Conversations"
        description="Started per day."
        points={pick(days, 'conversations')}
        previous={pick(previousDays, 'conversations')}
      />
      <TrendChart
        title="Resolved by the bot"
        description="Share of each day’s conversations, without open ones."
        points={pick(days, 'resolved')}
        previous={pick(previousDays, 'resolved')}
        format={(value) => `${Math.round(value)}%`}
      />
      {!isFiltered && (
        <>
          <TrendChart
            title="Questions without an answer"
            description="Per day."
            points={pick(activity, 'unanswered')}
            previous={pick(previousActivity, 'unanswered')}
          />
          <TrendChart
            title="Response time of the bot"
            description="Average time to a complete answer, per day."
            points={pick(activity, 'responseSeconds')}
            previous={pick(previousActivity, 'responseSeconds')}
            format={seconds}
          />
          <TrendChart
            title="Messages"
            description="From visitors, per day."
            points={pick(activity, 'messages')}
            previous={pick(previousActivity, 'messages')}
          />
          <TrendChart
            title="AI spend"
            description="Cost of models, per day."
            points={pick(activity, 'spend')}
            previous={pick(previousActivity, 'spend')}
            format={dollars}
          />
        </>
      )}
    </SimpleGrid>
    {isFiltered && (
      <Text c="dimmed">
        Questions, response times, messages and AI spend aren’t counted by channel or language. Remove these filters to
        see them.
      </Text>
    )}
  </>
);
