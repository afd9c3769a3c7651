/** The units of Grafana that we use. */
type Unit = 's' | 'reqps' | 'ops' | 'short' | 'percentunit' | 'bytes' | 'Bps' | 'currencyUSD' | 'd' | 'dtdurations';

export interface Panel {
  title: string;
  /** What it means, and when to worry. */
  about: string;
  unit: Unit;
  /** Expressions by their legend, where `{{label}}` is the value of a label. */
  queries: Readonly<Record<string, string>>;
  /** One current value instead of a graph. */
  isStat?: boolean;
  /** Where the graph turns red: above, or below with `isLowBad`. */
  limit?: number;
  isLowBad?: boolean;
  max?: number;
  canBeNegative?: boolean;
}

export interface Row {
  title: string;
  panels: readonly Panel[];
}

export interface Dashboard {
  id: string;
  title: string;
  about: string;
  rows: readonly Row[];
}

/** Of the processes chosen at the top of a dashboard. */
export const chosen = 'role=~"$role", instance=~"$instance"';

const within = (labels: string) => (labels === '' ? '' : `{${labels}}`);

export const rateOf = (series: string, by = '') =>
  `sum${by === '' ? '' : ` by (${by}) `}(rate(${series}[$__rate_interval]))`;

/** A share of all, which is 0 rather than missing without any of the kind. */
export const shareOf = (part: string, all: string) => `(${rateOf(part)} or vector(0)) / ${rateOf(all)}`;

/** The usual quantiles of a histogram. */
export const quantiles = (histogram: string, labels = '', by = '') =>
  Object.fromEntries(
    [0.5, 0.95, 0.99].map((quantile) => [
      `${by === '' ? '' : `{{${by}}} `}p${quantile * 100}`,
      `histogram_quantile(${quantile}, sum by (le${by === '' ? '' : `, ${by}`}) (rate(${histogram}_bucket${within(labels)}[$__rate_interval])))`,
    ]),
  );

/** One quantile, for each value of a label. */
export const quantileBy = (quantile: number, histogram: string, by: string, labels = '') => ({
  [`{{${by}}}`]: `histogram_quantile(${quantile}, sum by (le, ${by}) (rate(${histogram}_bucket${within(labels)}[$__rate_interval])))`,
});
