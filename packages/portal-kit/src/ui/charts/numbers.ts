export interface Point {
  /** As in `2026-11-18`. */
  day: string;
  /** Null where nothing was measured. */
  value: number | null;
}

export const formatNumber = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 1 });

/** "18 Nov". */
export const shortDay = (day: string): string => {
  const at = new Date(`${day.slice(0, 10)}T00:00:00Z`);
  return Number.isNaN(at.getTime())
    ? day
    : at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
};

/** A period of zeros has no shape: it is no data yet. */
export const hasValues = (values: readonly (number | null | undefined)[]): boolean => values.some(Boolean);

/** Fractions on an axis of counts are confusing. */
export const hasFractions = (values: readonly (number | null | undefined)[]): boolean =>
  values.some((value) => value !== null && value !== undefined && !Number.isInteger(value));
