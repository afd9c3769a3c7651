interface Metric {
  type: string;
  labels: ReadonlySet<string>;
}

/** The tables of docs/operators/metrics.md. */
export function documentedMetrics(page: string): ReadonlyMap<string, Metric> {
  const rows = page.matchAll(/^\| `([a-z_0-9]+)` \| (gauge|counter|histogram) \| ([^|]*) \|/gm);
  return new Map(
    [...rows].map(([, name = '', type = '', labels = '']) => [
      name,
      { type, labels: new Set([...labels.matchAll(/`([a-z_]+)`/g)].map(([, label = '']) => label)) },
    ]),
  );
}

/** Labels that Prometheus and every process add. */
const everywhere = new Set(['role', 'instance', 'job', 'le']);
const ours = /(?<![\w:])((?:parley|nodejs|process|http_server|db_client|gen_ai)_[a-z0-9_]+)(?:\{([^}]*)\})?/g;
const grouping = /\b(?:by|without|on|ignoring|group_left|group_right) ?\(([^)]*)\)/g;

/** What an expression uses and the page lacks, or uses otherwise than the page says. */
export function undocumentedIn(expression: string, documented: ReadonlyMap<string, Metric>): string[] {
  const groups = [...expression.matchAll(grouping)].flatMap(([, labels = '']) => labels.split(/, */)).filter(Boolean);
  const isOnlyOurs = !/\b(node|pg|redis|restate)_\w+|ALERTS|parley:/.test(expression);
  const known = new Set(everywhere);
  const wrong: string[] = [];
  const selectors = expression.replaceAll(grouping, '');
  for (const { 1: name = '', 2: matchers = '', index } of selectors.matchAll(ours)) {
    const base = name.replace(/_(bucket|count|sum)$/, '');
    const isHistogram = documented.get(base)?.type === 'histogram' && base !== name;
    const metric = documented.get(isHistogram ? base : name);
    if (!metric) {
      wrong.push(`${name} is not documented`);
      continue;
    }
    const isCounter = isHistogram || metric.type === 'counter';
    const isRate = /\b(rate|increase)\($/.test(selectors.slice(0, index));
    if (isCounter !== isRate) wrong.push(`${name} is a ${metric.type}, ${isRate ? 'with' : 'without'} a rate`);
    for (const label of metric.labels) known.add(label);
    for (const [, label = ''] of matchers.matchAll(/(\w+) *[!=]?[=~]/g))
      if (!metric.labels.has(label) && !everywhere.has(label)) wrong.push(`${name} has no label ${label}`);
  }
  const isKnown = wrong.every((one) => !one.endsWith('documented'));
  if (isOnlyOurs && isKnown)
    wrong.push(...groups.filter((label) => !known.has(label)).map((label) => `no metric has the label ${label}`));
  return wrong;
}
