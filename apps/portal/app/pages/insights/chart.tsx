import { Group, Text } from '@mantine/core';
import { Section } from '@parley/portal-kit/ui';

interface Props {
  title: string;
  /** A one-sentence description, also used as the accessible label. */
  description: string;
  points: { day: string; value: number | null }[];
  format?: (value: number) => string;
}

const [width, height] = [560, 140];
const formatNumber = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 1 });

/** One bar per day, rendered on the server too. The CSV download has the numbers. */
export function Chart({ title, description, points, format = formatNumber }: Props) {
  const max = Math.max(0, ...points.map(({ value }) => value ?? 0));
  const step = width / Math.max(1, points.length);
  const [first, last] = [points[0], points.at(-1)];
  const peak = points.find(({ value }) => value === max);
  const summary =
    max > 0 ? `${description} Peak: ${format(max)} on ${peak?.day}.` : `${description} No data for this period.`;
  return (
    <Section title={title}>
      <figure style={{ margin: 0 }}>
        <svg viewBox={`0 0 ${width} ${height}`} width="100%" role="img" aria-label={summary}>
          <line x1="0" y1={height - 0.5} x2={width} y2={height - 0.5} stroke="var(--mantine-color-default-border)" />
          {points.map(({ day, value }, n) =>
            value === null || max === 0 ? null : (
              <rect
                key={day}
                x={n * step + step * 0.12}
                width={step * 0.76}
                y={height - 1 - (value / max) * (height - 10)}
                height={Math.max(value > 0 ? 1.5 : 0, (value / max) * (height - 10))}
                fill="var(--mantine-color-anchor)"
              >
                <title>{`${day}: ${format(value)}`}</title>
              </rect>
            ),
          )}
        </svg>
        <Group justify="space-between" component="figcaption">
          <Text size="xs" c="dimmed">
            {first?.day}
          </Text>
          <Text size="xs" c="dimmed">
            {max > 0 ? `Peak: ${format(max)}` : 'No data'}
          </Text>
          <Text size="xs" c="dimmed">
            {last?.day}
          </Text>
        </Group>
      </figure>
    </Section>
  );
}
