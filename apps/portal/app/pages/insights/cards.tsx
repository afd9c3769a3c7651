import { Paper, SimpleGrid, Text } from '@mantine/core';
import { Figure, Sparkline } from '@parley/portal-kit/ui';
import type { ReactNode } from 'react';
import type { OutcomePoint } from './figures.ts';
import { duration, number, percent, type OutcomeFigures } from './labels.ts';

interface Props {
  total: OutcomeFigures;
  previous: OutcomeFigures;
  days: OutcomePoint[];
}

/** The figures that people look at first, with the change to the period before. */
export function Cards({ total, previous, days }: Props) {
  // Without days on which there was nothing to measure, which are not 0%.
  const series = (name: 'conversations' | 'resolved' | 'satisfied') => days.flatMap((day) => day[name] ?? []);
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="md">
      <Card
        label="Conversations"
        value={number(total.conversations)}
        change={relative(total.conversations, previous.conversations)}
        note={`${number(previous.conversations)} in the period before`}
        trend={series('conversations')}
      />
      <Card
        label="Resolved by the bot"
        value={percent(total.resolutionRate)}
        note={points(total.resolutionRate, previous.resolutionRate) ?? 'Share of decided conversations'}
        trend={series('resolved')}
      />
      <Card
        label="Satisfaction (CSAT)"
        value={percent(total.csat.score)}
        note={[
          total.csat.ratings === 1 ? '1 rating' : `${number(total.csat.ratings)} ratings`,
          points(total.csat.score, previous.csat.score),
        ]
          .filter(Boolean)
          .join(' · ')}
        trend={series('satisfied')}
      />
      <Card
        label="First response by an agent"
        value={duration(total.firstResponse.p50)}
        change={relative(total.firstResponse.p50, previous.firstResponse.p50)}
        note={times(total.firstResponse, 'No handoff was answered')}
      />
      <Card
        label="Handling time"
        value={duration(total.handling.p50)}
        change={relative(total.handling.p50, previous.handling.p50)}
        note={times(total.handling, 'No agent closed a conversation')}
      />
      <Card
        label="Came back within 7 days"
        value={percent(total.conversations === 0 ? null : total.cameBack / total.conversations)}
        note={`After ${number(total.cameBack)} of ${number(total.conversations)} conversations`}
      />
    </SimpleGrid>
  );
}

/** The change in per cent. undefined where there is nothing to compare with. */
const relative = (now: number | null, before: number | null): number | undefined =>
  now === null || !before ? undefined : (now / before - 1) * 100;

/** The change of a share, in percentage points. */
function points(now: number | null, before: number | null): string | undefined {
  if (now === null || before === null) return undefined;
  const change = Math.round(now * 100) - Math.round(before * 100);
  if (change === 0) return 'Same as the period before';
  return `${change > 0 ? '+' : '−'}${Math.abs(change)} ${Math.abs(change) === 1 ? 'point' : 'points'}`;
}

const times = ({ count, p95 }: OutcomeFigures['handling'], none: string) =>
  count === 0 ? none : `Median of ${number(count)} · 95% within ${duration(p95)}`;

interface CardProps {
  label: string;
  value: string;
  change?: number | undefined;
  note: ReactNode;
  trend?: number[];
}

const Card = ({ label, value, change, note, trend }: CardProps) => (
  <Paper withBorder p="md">
    <Figure label={label} value={value} changePercent={change}>
      <Text size="sm" c="dimmed">
        {note}
      </Text>
      {trend?.some((each) => each > 0) && (
        <Sparkline values={trend} label={`${label} per day`} width={160} height={28} />
      )}
    </Figure>
  </Paper>
);
