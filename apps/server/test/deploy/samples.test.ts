import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { PortalSettings } from '../../../../packages/portal-kit/src/server/config.ts';
import { repository } from '../../../../tools/demo/processes.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { Settings } from '../../src/platform/settings.ts';

const folder = join(repository, 'deploy/samples/systemd');
const systemdAnalyze = '/usr/bin/systemd-analyze';
const units = globSync('*.service', { cwd: folder });
const readSample = (name: string) => readFileSync(join(folder, name), 'utf8');
const settingsIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/^(?:Environment=)?([A-Z][A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );

test('systemd accepts the units, and rates their exposure as low', (ctx) => {
  if (!existsSync(systemdAnalyze)) return ctx.skip('systemd is not installed');
  expect(units).toHaveLength(4);
  const dir = mkdtempSync(join(tmpdir(), 'parley-units-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const files = units.map((name) => {
    const file = join(dir, name.replace('@', '@0.1.0'));
    writeFileSync(file, readSample(name).replaceAll('/usr/bin/node', process.execPath));
    return file;
  });
  const verified = spawnSync(systemdAnalyze, ['verify', ...files], { encoding: 'utf8' });
  expect(verified.stderr).toBe('');
  // A tenth of a point each, of ten: 2.0 is what systemd calls "OK".
  for (const file of files) {
    const rated = spawnSync(systemdAnalyze, ['security', '--offline=true', '--threshold=20', file], {
      encoding: 'utf8',
    });
    expect(rated.status, basename(file) + rated.stdout.slice(-200)).toBe(0);
  }
});

test('units and environment files name settings that exist', () => {
  const known = new Set([...Object.keys(Settings.shape), ...Object.keys(PortalSettings.shape), 'NODE_ENV']);
  const files = [...units, ...globSync('*.env', { cwd: folder })];
  const unknown = files.flatMap((file) =>
    Object.keys(settingsIn(readSample(file)))
      .filter((name) => !known.has(name) && !known.has(name.replace(/_FILE$/, '')))
      .map((name) => `${file}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

test('a process starts in production with the environment files and the secrets of the unit', () => {
  const secrets = {
    DATABASE_URL: 'postgres://parley_app:x@127.0.0.1/parley',
    VALKEY_URL: 'redis://:x@127.0.0.1',
    MASTER_KEYS: `k1:${Buffer.from(Array.from({ length: 32 }, (_, n) => n)).toString('base64')}`,
    METRICS_TOKEN: 'sixteen characters',
  };
  const inUnit = Object.keys(settingsIn(readSample('parley-worker@.service')));
  expect(inUnit).toEqual(expect.arrayContaining(Object.keys(secrets).map((name) => `${name}_FILE`)));
  const env = { ...settingsIn(readSample('server.env')), ...settingsIn(readSample('worker-0.1.0.env')), ...secrets };
  expect(loadConfig(env)).toMatchObject({ PARLEY_ENV: 'production', WORKER_URL: 'http://127.0.0.1:9080' });
  expect(
    PortalSettings.safeParse({
      ...settingsIn(readSample('portal.env')),
      ...settingsIn(readSample('portal-0.1.0.env')),
      COOKIE_KEYS: secrets.MASTER_KEYS,
    }).success,
  ).toBe(true);
});
