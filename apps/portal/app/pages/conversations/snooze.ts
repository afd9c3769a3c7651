interface SnoozeChoice {
  label: string;
  until(now: Date): Date;
}

const hours = (count: number) => (now: Date) => new Date(now.getTime() + count * 3_600_000);
const morningIn = (now: Date, days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 9);

/** In the agent's own time zone. */
export const snoozeChoices: readonly SnoozeChoice[] = [
  { label: 'For 1 hour', until: hours(1) },
  { label: 'For 3 hours', until: hours(3) },
  { label: 'Until tomorrow, 9:00', until: (now) => morningIn(now, 1) },
  { label: 'Until Monday, 9:00', until: (now) => morningIn(now, (8 - now.getDay()) % 7 || 7) },
];
