import { Temporal } from 'temporal-polyfill';
import { days, type Availability, type BusinessHours } from './business-hours.contract.ts';

type Hours = Pick<BusinessHours, 'timeZone' | 'weekly' | 'holidays'>;
interface Opening {
  startMs: number;
  endMs: number;
}

/** How far ahead the next opening is searched: beyond a year of holidays, a team is never open. */
const maxDaysAhead = 370;
const allWeek = days.map((day) => ({ day, opens: '00:00', closes: '00:00' }));

/** The times at which the team opens and closes, from the day before `from`, in order of the days. */
function* openings({ timeZone, weekly, holidays }: Hours, from: Date): Generator<Opening> {
  const today = Temporal.Instant.fromEpochMilliseconds(from.getTime()).toZonedDateTimeISO(timeZone).toPlainDate();
  for (let n = -1; n <= maxDaysAhead; n++) {
    const date = today.add({ days: n });
    if (holidays.includes(date.toString())) continue;
    const hours = (weekly ?? allWeek).filter(({ day }) => day === days[date.dayOfWeek - 1]);
    for (const { opens, closes } of hours.toSorted((a, b) => (a.opens < b.opens ? -1 : 1))) {
      const startMs = timeOf(date, opens, timeZone);
      const endMs = timeOf(closes <= opens ? date.add({ days: 1 }) : date, closes, timeZone);
      if (endMs > startMs) yield { startMs, endMs }; // an hour that the change to summer time skips is empty
    }
  }
}

/** A local time that does not exist is moved forward, and of one that exists twice, the first is used. */
const timeOf = (date: Temporal.PlainDate, time: string, timeZone: string) =>
  date.toZonedDateTime({ timeZone, plainTime: Temporal.PlainTime.from(time) }).epochMilliseconds;

/** Whether the team is there at this time, and otherwise when it is back; null if it never opens. */
function openingAt(hours: Hours, now: Date): { isOpen: boolean; opensAt: Date | null } {
  const at = now.getTime();
  for (const opening of openings(hours, now)) {
    if (opening.startMs <= at && at < opening.endMs) return { isOpen: true, opensAt: null };
    // They are in order, so none before this one includes the time.
    if (opening.startMs > at) return { isOpen: false, opensAt: new Date(opening.startMs) };
  }
  return { isOpen: false, opensAt: null };
}

/** Whether visitors can expect a reply now. Without business hours, always. */
export function availabilityAt(hours: BusinessHours | null, now: Date): Availability {
  if (!hours) return { isOpen: true, opensAt: null, replyMinutes: null, awayMessage: null };
  const opening = openingAt(hours, now);
  return {
    ...opening,
    replyMinutes: hours.replyMinutes,
    awayMessage: opening.isOpen ? null : hours.awayMessage || null,
  };
}

/**
 * When someone who waits since a time has waited for so many minutes. The clock starts when the team opens, and a time at
 * which the team is away is moved to its next opening. null: the team never opens.
 */
export function waitedUntil(hours: Hours | null, since: Date, minutes: number): Date | null {
  const start = nextOpen(hours, since);
  return start && nextOpen(hours, new Date(start.getTime() + minutes * 60_000));
}

function nextOpen(hours: Hours | null, at: Date): Date | null {
  if (!hours) return at;
  const { isOpen, opensAt } = openingAt(hours, at);
  return isOpen ? at : opensAt;
}

/** The first opening after a time, for what happens once a day. Teams that are always open get 08:00. */
export function nextDayStart(hours: Hours | null, after: Date): Date {
  const timeZone = hours?.timeZone ?? 'UTC';
  const morning = days.map((day) => ({ day, opens: '08:00', closes: '09:00' }));
  const daily = { timeZone, weekly: hours?.weekly ?? morning, holidays: hours?.holidays ?? [] };
  const today = dateOf(after, timeZone);
  for (const { startMs } of openings(daily, after))
    if (startMs > after.getTime() && dateOf(new Date(startMs), timeZone) !== today) return new Date(startMs);
  return new Date(after.getTime() + maxDaysAhead * 86_400_000);
}

const dateOf = (at: Date, timeZone: string) =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone).toPlainDate().toString();
