import { lazy } from 'react';
import { ChartFrame } from './frame.tsx';
import { formatNumber, hasFractions, hasValues } from './numbers.ts';

const BarDrawing = lazy(async () => ({ default: (await import('./chart-library.tsx')).BarDrawing }));

interface Props {
  title: string;
  description?: string;
  bars: readonly { label: string; value: number }[];
  format?: (value: number) => string;
  height?: number;
}

/** A value per category, such as the hours of a day. */
export const BarChart = ({ title, description, bars, format = formatNumber, height = 220 }: Props) => (
  <ChartFrame
    title={title}
    description={description}
    columns={['Name', 'Value']}
    rows={bars.map(({ label, value }) => [label, format(value)])}
    hasData={hasValues(bars.map(({ value }) => value))}
    height={height}
  >
    <BarDrawing
      bars={bars.map((bar) => ({ ...bar }))}
      title={title}
      hasFractions={hasFractions(bars.map(({ value }) => value))}
      format={format}
      height={height}
    />
  </ChartFrame>
);
