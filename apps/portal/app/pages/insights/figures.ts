import type { Schemas } from '@parley/portal-kit/service';
import { daysOf, type Range } from './range.ts';

type Day = Schemas['Insights']['days'][number];

export interface DayFigures {
  day: string;
  conversations: number;
  handedOff: number;
  answered: number;
  unanswered: number;
  closed: number;
  messages: number;
  ratings: number;
  ratingAverage: number | null;
  responseSeconds: number | null;
  spend: number;
}

const sum = (rows: Day[], of: (row: Day) => number) => rows.reduce((all, row) => all + of(row), 0);

/** A weighted average. */
function weighted(rows: Day[], value: (row: Day) => number | null, weight: (row: Day) => number): number | null {
  const included = rows.filter((row) => value(row) !== null && weight(row) > 0);
  const all = sum(included, weight);
  return all === 0 ? null : sum(included, (row) => (value(row) ?? 0) * weight(row)) / all;
}

/** One row per day over the selected bots, including empty days. */
export function byDay(days: Day[], range: Range): DayFigures[] {
  return daysOf(range).map((day) => {
    const rows = days.filter((row) => row.day === day);
    const milliseconds = weighted(
      rows,
      ({ responseMs }) => responseMs.average,
      ({ answered, unanswered }) => answered + unanswered,
    );
    return {
      day,
      conversations: sum(rows, (row) => row.conversations),
      handedOff: sum(rows, (row) => row.handedOff),
      answered: sum(rows, (row) => row.answered),
      unanswered: sum(rows, (row) => row.unanswered),
      closed: sum(rows, (row) => row.closed),
      messages: sum(rows, (row) => row.messages),
      ratings: sum(rows, (row) => row.ratings.count),
      ratingAverage: weighted(
        rows,
        ({ ratings }) => ratings.average,
        ({ ratings }) => ratings.count,
      ),
      responseSeconds: milliseconds === null ? null : milliseconds / 1_000,
      spend: sum(rows, (row) => row.spend),
    };
  });
}

type OutcomeDay = Schemas['Outcomes']['days'][number];

export interface OutcomePoint {
  day: string;
  conversations: number;
  resolved: number | null;
  satisfied: number | null;
}

/** Shares in per cent, null for days without any. */
const share = (value: number | null) => (value === null ? null : Math.round(value * 100));

/** One row per day, including empty days. */
export function outcomesByDay(days: OutcomeDay[], range: Range): OutcomePoint[] {
  const found = new Map(days.map((row) => [row.day, row]));
  return daysOf(range).map((day) => {
    const row = found.get(day);
    return {
      day,
      conversations: row?.conversations ?? 0,
      resolved: share(row?.resolutionRate ?? null),
      satisfied: share(row?.csat.score ?? null),
    };
  });
}
