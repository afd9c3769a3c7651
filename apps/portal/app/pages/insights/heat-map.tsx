import { Select, Text, VisuallyHidden } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import { Section } from '@parley/portal-kit/ui';
import type { CSSProperties } from 'react';
import { useSearchParams } from 'react-router';
import styles from './heat-map.module.css';

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const hourLabel = (hour: number) => `${String(hour).padStart(2, '0')}:00`;
const conversations = (count: number) =>
  count === 1 ? '1 conversation' : `${count.toLocaleString('en')} conversations`;

/** When conversations start: a cell per weekday and hour. */
export function HeatMap({ counts, timeZone }: { counts: number[][]; timeZone: string }) {
  const max = Math.max(1, ...counts.flat());
  const [busiest] = counts
    .flatMap((hours, day) => hours.map((count, hour) => ({ count, day, hour })))
    .toSorted((a, b) => b.count - a.count);
  return (
    <Section title="Busiest hours" actions={<TimeZone timeZone={timeZone} />}>
      <Text c="dimmed" mt={-8}>
        {busiest && busiest.count > 0
          ? `When conversations start. Busiest: ${weekdays[busiest.day]} at ${hourLabel(busiest.hour)}, ${conversations(busiest.count)}.`
          : 'When conversations start.'}
      </Text>
      <section className={styles['scroll']} tabIndex={0} aria-label="Conversations by weekday and hour">
        <table className={styles['map']}>
          <thead>
            <tr>
              <th scope="row">
                <VisuallyHidden>Weekday</VisuallyHidden>
              </th>
              {Array.from({ length: 24 }, (_, hour) => (
                <th key={hour} scope="col">
                  {hour % 3 === 0 ? String(hour).padStart(2, '0') : <VisuallyHidden>{hour}</VisuallyHidden>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {counts.map((hours, day) => (
              <tr key={weekdays[day]}>
                <th scope="row">{weekdays[day]}</th>
                {hours.map((count, hour) => (
                  <td
                    key={hourLabel(hour)}
                    title={`${weekdays[day]} ${hourLabel(hour)}: ${conversations(count)}`}
                    style={{ '--level': count === 0 ? 0 : 15 + (85 * count) / max } as CSSProperties}
                  >
                    <VisuallyHidden>{count}</VisuallyHidden>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Section>
  );
}

/** UTC or the browser's time zone, which only the browser knows. */
function TimeZone({ timeZone }: { timeZone: string }) {
  const [, setSearch] = useSearchParams();
  const isMounted = useMounted();
  const local = isMounted ? new Intl.DateTimeFormat().resolvedOptions().timeZone : undefined;
  return (
    <Select
      size="xs"
      w={180}
      aria-label="Time zone"
      allowDeselect={false}
      data={[...new Set(['UTC', timeZone, ...(local ? [local] : [])])]}
      value={timeZone}
      onChange={(value) =>
        setSearch(
          (before) => {
            const next = new URLSearchParams(before);
            if (value === null || value === 'UTC') next.delete('timeZone');
            else next.set('timeZone', value);
            return next;
          },
          { preventScrollReset: true },
        )
      }
    />
  );
}
