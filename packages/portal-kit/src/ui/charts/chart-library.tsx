import { AreaChart, Sparkline } from '@mantine/charts';

// Loaded with the first chart, because the library is larger than most pages.

interface TrendProps {
  days: { day: string; value: number | null; previous?: number | null }[];
  hasPrevious: boolean;
  hasFractions: boolean;
  format: (value: number) => string;
  height: number;
}

const current = { name: 'value', label: 'This period', color: 'var(--mantine-color-anchor)' };
const before = {
  name: 'previous',
  label: 'Period before',
  color: 'var(--chart-previous)',
  strokeDasharray: '4 4',
};

export function TrendDrawing({ days, hasPrevious, hasFractions, format, height }: TrendProps) {
  return (
    <AreaChart
      h={height}
      data={days}
      dataKey="day"
      series={hasPrevious ? [before, current] : [current]}
      areaProps={(series) => (series.name === 'previous' ? { fill: 'none' } : {})}
      withLegend={hasPrevious}
      withDots={false}
      curveType="linear"
      strokeDasharray="2 4"
      strokeWidth={1.75}
      fillOpacity={0.18}
      tickLine="none"
      valueFormatter={format}
      xAxisProps={{ minTickGap: 28 }}
      yAxisProps={{ width: 48, allowDecimals: hasFractions, tickCount: 4 }}
      textColor="dimmed"
      accessibilityLayer={false}
    />
  );
}

export function SparklineDrawing({ values, ...size }: { values: number[]; width: number; height: number }) {
  return (
    <Sparkline
      w={size.width}
      h={size.height}
      data={values}
      color="var(--mantine-color-anchor)"
      curveType="linear"
      strokeWidth={1.5}
      fillOpacity={0.18}
    />
  );
}
