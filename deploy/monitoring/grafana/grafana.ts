import type { Dashboard, Panel, Row } from './panels.ts';

// The JSON that Grafana imports (schema 39, Grafana 10 and newer).

const datasource = { type: 'prometheus', uid: '${datasource}' };
const width = 24;
const statWidth = 4;
const graphWidth = 8;

const thresholds = ({ limit, isLowBad = false }: Panel) => ({
  mode: 'absolute',
  steps:
    limit === undefined
      ? [{ color: 'green', value: null }]
      : [
          { color: isLowBad ? 'red' : 'green', value: null },
          { color: isLowBad ? 'green' : 'red', value: limit },
        ],
});

const optionsOf = ({ isStat = false }: Panel) =>
  isStat
    ? { colorMode: 'value', graphMode: 'area', reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false } }
    : {
        legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
        tooltip: { mode: 'multi', sort: 'desc' },
      };

const panelOf = (panel: Panel, id: number, gridPos: object) => ({
  id,
  type: panel.isStat ? 'stat' : 'timeseries',
  title: panel.title,
  description: panel.about,
  datasource,
  gridPos,
  targets: Object.entries(panel.queries).map(([legendFormat, expr], index) => ({
    refId: String.fromCodePoint(65 + index),
    datasource,
    expr,
    legendFormat,
  })),
  fieldConfig: {
    defaults: {
      unit: panel.unit,
      ...(!panel.canBeNegative && { min: 0 }),
      ...(panel.max !== undefined && { max: panel.max }),
      thresholds: thresholds(panel),
      custom: panel.isStat
        ? {}
        : {
            lineWidth: 1,
            fillOpacity: 8,
            showPoints: 'never',
            spanNulls: false,
            thresholdsStyle: { mode: panel.limit === undefined ? 'off' : 'dashed' },
          },
    },
    overrides: [],
  },
  options: optionsOf(panel),
});

/** Places panels from left to right, each row below the one before. */
function layOut(rows: readonly Row[]) {
  const panels: object[] = [];
  let [y, id] = [0, 1];
  for (const row of rows) {
    panels.push({
      id: id++,
      type: 'row',
      title: row.title,
      collapsed: false,
      gridPos: { x: 0, y: y++, w: width, h: 1 },
      panels: [],
    });
    let [x, rowHeight] = [0, 0];
    for (const panel of row.panels) {
      const [w, h] = panel.isStat ? [statWidth, 4] : [graphWidth, 8];
      if (x + w > width) [x, y, rowHeight] = [0, y + rowHeight, 0];
      panels.push(panelOf(panel, id++, { x, y, w, h }));
      [x, rowHeight] = [x + w, Math.max(rowHeight, h)];
    }
    y += rowHeight;
  }
  return panels;
}

const variable = (name: string, query: string) => ({
  name,
  label: name,
  type: 'query',
  datasource,
  query: { query, refId: name },
  definition: query,
  refresh: 2,
  includeAll: true,
  allValue: '.+',
  multi: true,
  sort: 1,
  current: { text: 'All', value: '$__all' },
});

/** Only those that its queries use. */
const variablesOf = (dashboard: Dashboard) => {
  const text = JSON.stringify(dashboard.rows);
  return [
    { name: 'datasource', label: 'data source', type: 'datasource', query: 'prometheus', current: {}, hide: 0 },
    ...(text.includes('$role') ? [variable('role', 'label_values(parley_build_info, role)')] : []),
    ...(text.includes('$instance')
      ? [variable('instance', 'label_values(parley_build_info{role=~"$role"}, instance)')]
      : []),
  ];
};

export const grafanaDashboard = (dashboard: Dashboard) => ({
  uid: `parley-${dashboard.id}`,
  title: `Parley ${dashboard.title}`,
  description: dashboard.about,
  tags: ['parley'],
  schemaVersion: 39,
  version: 1,
  editable: true,
  timezone: 'browser',
  refresh: '30s',
  time: { from: 'now-6h', to: 'now' },
  graphTooltip: 1,
  links: [
    { type: 'dashboards', title: 'Parley', tags: ['parley'], asDropdown: true, includeVars: false, keepTime: true },
  ],
  templating: { list: variablesOf(dashboard) },
  annotations: { list: [] },
  panels: layOut(dashboard.rows),
});
