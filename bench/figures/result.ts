export type Goal = { atLeast: number } | { atMost: number };

/** A figure of a benchmark, as it is printed, stored and shown in docs/figures/benchmarks.md. */
export interface Result {
  name: string;
  value: number;
  unit: string;
  /** The minimum for the same work, measured in the same run and unit. */
  peer?: { name: string; value: number };
  /** The value in relation to the peer's. The median of the rounds, so not exactly the quotient of the two. */
  ratio?: number;
  /** For the ratio if there is one, otherwise for the value. */
  goal?: Goal;
  isMet?: boolean;
  rounds: number;
  note?: string;
}

export const isMet = (figure: number, goal: Goal): boolean =>
  'atLeast' in goal ? figure >= goal.atLeast : figure <= goal.atMost;

/** Enough digits to compare, not more than a run can repeat. */
const rounded = (value: number) => (Math.abs(value) >= 1_000 ? Math.round(value) : Number(value.toPrecision(4)));

export function result({ value, peer, ratio, ...figure }: Omit<Result, 'isMet'>): Result {
  return {
    ...figure,
    value: rounded(value),
    ...(peer && { peer: { ...peer, value: rounded(peer.value) } }),
    ...(ratio !== undefined && { ratio: rounded(ratio) }),
    ...(figure.goal && { isMet: isMet(ratio ?? value, figure.goal) }),
  };
}

export const formatNumber = (value: number): string =>
  value.toLocaleString('en', Math.abs(value) >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 });
export const formatRatio = (ratio: number): string => ratio.toFixed(2);
export function formatGoal(goal: Goal, { ratio }: Pick<Result, 'ratio'>): string {
  const format = ratio === undefined ? formatNumber : formatRatio;
  return 'atLeast' in goal ? `at least ${format(goal.atLeast)}` : `at most ${format(goal.atMost)}`;
}

export function inWords(figure: Result): string {
  const { name, value, unit, peer, ratio, goal, note } = figure;
  const unitOf = unit === '' ? '' : ` ${unit}`;
  const more = [
    peer && `${peer.name} ${formatNumber(peer.value)}${unitOf}`,
    ratio !== undefined && `ratio ${formatRatio(ratio)}`,
    goal && `goal ${formatGoal(goal, figure)}: ${figure.isMet ? 'met' : 'NOT MET'}`,
    note,
  ].filter((part) => part !== undefined && part !== false);
  return [`${name}: ${formatNumber(value)}${unitOf}`, ...more].join('; ');
}
