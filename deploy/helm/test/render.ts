// Renders the chart with the program in render.go, and checks the values first, as Helm does.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Ajv, type AnySchema } from 'ajv';
import { parse, parseAllDocuments, stringify } from 'yaml';
import type { Manifest } from './strict.ts';

export const chart = resolve(import.meta.dirname, '../parley');
export const samples = resolve(import.meta.dirname, '../samples');
export type Values = Record<string, unknown>;

const program = join(tmpdir(), `parley-render-${process.pid}`);
export function buildRenderer(): void {
  mkdirSync(tmpdir(), { recursive: true });
  execFileSync('go', ['build', '-o', program, resolve(import.meta.dirname, 'render.go')], {
    env: { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOFLAGS: '' },
  });
}
export const removeRenderer = () => rmSync(program, { force: true });

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const merge = (a: Values, b: Values): Values => {
  const merged = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const before = merged[key];
    merged[key] = isObject(before) && isObject(value) ? merge(before, value) : value;
  }
  return merged;
};

const schema = JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8')) as AnySchema;
const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schema);
const defaults = parse(readFileSync(join(chart, 'values.yaml'), 'utf8')) as Values;
export const readSample = (name: string) => parse(readFileSync(join(samples, name), 'utf8')) as Values;

/** What values.schema.json refuses. */
export function refusedValues(values: Values): string[] {
  if (validate(merge(defaults, values))) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

export interface RenderOptions {
  kube?: string;
  release?: string;
  namespace?: string;
}

export function render(
  values: Values,
  { kube = '1.31', release = 'parley', namespace = 'parley' }: RenderOptions = {},
) {
  const refused = refusedValues(values);
  if (refused.length > 0) throw new Error(refused.join('\n'));
  const folder = mkdtempSync(join(tmpdir(), 'parley-values-'));
  try {
    const file = join(folder, 'values.yaml');
    writeFileSync(file, stringify(values));
    const options = ['-release', release, '-namespace', namespace, '-kube', kube, chart, file];
    const { status, stdout, stderr } = spawnSync(program, options, { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return parseAllDocuments(stdout).map((document) => {
      if (document.errors[0]) throw document.errors[0];
      return document.toJS() as Manifest;
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
