import { lazy } from 'react';
import { ChartFrame } from './frame.tsx';
import { formatNumber, hasFractions, hasValues, shortDay, type Point } from './numbers.ts';

const TrendDrawing = lazy(async () => ({ default: (await import('./chart-library.tsx')).TrendDrawing }));

interface Props {
  title: string;
  description?: string;
  points: readonly Point[];
  /** The period before, of the same length. */
  previous?: readonly Point[];
  format?: (value: number) => string;
  height?: number;
}

/** A value per day, compared with the period before. */
export function TrendChart({ title, description, points, previous, format = formatNumber, height = 220 }: Props) {
  const days = points.map(({ day, value }, n) => ({
    day: shortDay(day),
    value,
    ...(previous && { previous: previous[n]?.value ?? null }),
  }));
  const values = days.flatMap((day) => [day.value, day.previous]);
  const text = (value: number | null | undefined) => (value === null || value === undefined ? '–' : format(value));
  return (
    <ChartFrame
      title={title}
      description={description}
      columns={['Day', 'This period', ...(previous ? ['Period before'] : [])]}
      rows={days.map((day) => [day.day, text(day.value), ...(previous ? [text(day.previous)] : [])])}
      hasData={hasValues(values)}
      height={height}
    >
      <TrendDrawing
        days={days}
        hasPrevious={previous !== undefined}
        hasFractions={hasFractions(values)}
        format={format}
        height={height}
      />
    </ChartFrame>
  );
}
