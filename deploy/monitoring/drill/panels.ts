import { dashboards } from '../grafana/index.ts';
import type { Monitoring } from './monitoring.ts';

export interface SilentQuery {
  dashboard: string;
  panel: string;
  legend: string;
  /** As Prometheus evaluated it. */
  expression: string;
}

/** What Grafana would put in. */
const evaluated = (expression: string) =>
  expression.replaceAll('$__rate_interval', '1m').replaceAll('$role', '.+').replaceAll('$instance', '.+');

/** Evaluates every query of every dashboard over the last minutes: which of them have no value. */
export async function evaluatePanels(monitoring: Pick<Monitoring, 'query'>, minutes: number) {
  const silent: SilentQuery[] = [];
  let count = 0;
  for (const { title: dashboard, rows } of dashboards)
    for (const { title: panel, queries } of rows.flatMap((row) => row.panels))
      for (const [legend, query] of Object.entries(queries)) {
        count++;
        const expression = evaluated(query);
        const values = await monitoring.query(expression, minutes);
        if (!values.some((value) => !Number.isNaN(value))) silent.push({ dashboard, panel, legend, expression });
      }
  return { count, silent };
}

export const describePanels = ({ count, silent }: Awaited<ReturnType<typeof evaluatePanels>>): string =>
  [
    `${count} queries of ${dashboards.length} dashboards, ${silent.length} without data`,
    ...silent.map(({ dashboard, panel, legend, expression }) => `- ${dashboard}, ${panel}, ${legend}: ${expression}`),
  ].join('\n');
