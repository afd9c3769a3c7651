import { Group, Text } from '@mantine/core';
import type { Delivery } from './webhook-labels.ts';

type Bar = Pick<Delivery, 'id' | 'status' | 'attempts'>;

const colors = { succeeded: 'var(--good)', pending: 'var(--warn)' } as const;
const colorOf = (status: Delivery['status']) => (status in colors ? colors[status as 'pending'] : 'var(--bad)');
/** More attempts make the bar taller. */
const heightOf = (attempts: number) => Math.min(24, 10 + Math.max(0, attempts - 1) * 3);

export function describeBars(bars: readonly Bar[]): string {
  if (bars.length === 0) return 'No deliveries yet';
  const count = (status: Delivery['status'][]) => bars.filter((bar) => status.includes(bar.status)).length;
  const [delivered, waiting] = [count(['succeeded']), count(['pending'])];
  const failed = bars.length - delivered - waiting;
  return [
    `${delivered} of ${bars.length} delivered`,
    ...(waiting > 0 ? [`${waiting} pending`] : []),
    ...(failed > 0 ? [`${failed} not delivered`] : []),
  ].join(', ');
}

/** Recent deliveries, oldest on the left. Colour shows the status, height the number of attempts. */
export function Sparkline({ deliveries }: { deliveries: readonly Bar[] }) {
  const bars = deliveries.slice(0, 50).toReversed();
  const label = describeBars(bars);
  return (
    <Group gap="xs" wrap="nowrap">
      {bars.length > 0 && (
        <svg width={bars.length * 4} height={24} role="img" aria-label={`Recent deliveries: ${label}`}>
          {bars.map(({ id, status, attempts }, at) => (
            <rect
              key={id}
              x={at * 4}
              y={24 - heightOf(attempts)}
              width={3}
              height={heightOf(attempts)}
              fill={colorOf(status)}
            />
          ))}
        </svg>
      )}
      <Text size="xs" c="dimmed">
        {label}
      </Text>
    </Group>
  );
}
