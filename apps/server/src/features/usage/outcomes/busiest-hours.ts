interface HoursOfDay {
  day: string;
  /** Conversations by hour, in UTC. */
  hours: readonly number[];
}

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** Counts by weekday, from Monday, and hour in a time zone. A UTC hour counts for the local hour in which it starts. */
export function busiestHours(days: readonly HoursOfDay[], timeZone: string): number[][] {
  const counts = weekdays.map(() => Array.from({ length: 24 }, () => 0));
  const format = new Intl.DateTimeFormat('en', { timeZone, weekday: 'short', hour: 'numeric', hourCycle: 'h23' });
  for (const [day, rows] of Map.groupBy(days, (row) => row.day))
    for (let hour = 0; hour < 24; hour++) {
      const count = rows.reduce((sum, { hours }) => sum + (hours[hour] ?? 0), 0);
      if (count === 0) continue;
      const parts = format.formatToParts(Date.parse(day) + hour * 3_600_000);
      const part = (type: string) => parts.find((found) => found.type === type)?.value ?? '';
      const ofDay = counts[weekdays.indexOf(part('weekday'))];
      const local = Number(part('hour'));
      if (ofDay) ofDay[local] = (ofDay[local] ?? 0) + count;
    }
  return counts;
}
