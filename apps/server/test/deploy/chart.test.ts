import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { Settings } from '../../src/platform/settings.ts';
import { productVersion } from '../../src/platform/product-version.ts';
import { parse } from 'yaml';

// What needs neither Go nor schemas. `npm run test:chart` renders the chart.

const folder = resolve(import.meta.dirname, '../../../../deploy/helm/parley');
const read = (file: string) => readFileSync(resolve(folder, file), 'utf8');
const schema = JSON.parse(read('values.schema.json')) as {
  properties: { settings: { propertyNames: { enum: string[] } } };
};

interface SettingSchema {
  secret?: boolean;
}

/** Of URLs, ports and files, which the chart decides. */
const ofTheChart = [
  'PARLEY_ENV',
  'RESTATE_INGRESS_URL',
  'RESTATE_ADMIN_URL',
  'RESTATE_IDENTITY_KEYS',
  'AWS_SESSION_TOKEN',
  'VAULT_TOKEN',
  'VAULT_TOKEN_FILE',
  'HOST',
  'PORT',
  'WORKER_PORT',
  'WORKER_URL',
  'METRICS_PORT',
  'METRICS_HOST',
  'PUBLIC_URL',
  'CDN_URL',
  'WIDGET_DIR',
  'TRUSTED_PROXIES',
  'PORTAL_URL',
  'ADMIN_URL',
  'EGRESS_CA_FILE',
  'STOP_NOTICE_SECONDS',
  'STOP_GRACE_SECONDS',
];

test('values.schema.json lists each setting that is neither secret nor decided by the chart, and no other', () => {
  const { properties = {} } = z.toJSONSchema(Settings, { io: 'input', unrepresentable: 'any' });
  const names = Object.entries(properties as Record<string, SettingSchema>)
    .filter(([name, { secret }]) => !secret && !ofTheChart.includes(name))
    .map(([name]) => name);
  expect(schema.properties.settings.propertyNames.enum.toSorted()).toEqual(names.toSorted());
});

test('the chart has the version of the product', () => {
  const { version, appVersion } = parse(read('Chart.yaml')) as Record<string, string>;
  const [release] = productVersion.split('+');
  expect({ version, appVersion }).toEqual({ version: release, appVersion: release });
});
