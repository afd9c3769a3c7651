// Writes rules/slos.yml and the dashboards. `--check` only compares them with what is committed.
import { resolve } from 'node:path';
import { stringify } from 'yaml';
import { writeGenerated } from '../../tools/gen/write.ts';
import { grafanaDashboard } from './grafana/grafana.ts';
import { dashboards } from './grafana/index.ts';
import { sloRules } from './slos/rules.ts';
import { slos } from './slos/slos.ts';

const here = import.meta.dirname;
const notice = '# Generated from deploy/monitoring/slos by `npm run gen:monitoring`. Change it there.\n';
writeGenerated(
  resolve(here, 'rules/slos.yml'),
  notice + stringify(sloRules(slos), { lineWidth: 0, singleQuote: true, blockQuote: 'literal' }),
);
for (const dashboard of dashboards)
  writeGenerated(
    resolve(here, `dashboards/${dashboard.id}.json`),
    `${JSON.stringify(grafanaDashboard(dashboard), undefined, 2)}\n`,
  );
