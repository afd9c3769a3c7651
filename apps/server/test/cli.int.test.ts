import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { aTenant, as, openApi, settings, urlAs } from './harness.ts';

/** The operator's shell: a real process, with its own role and settings. */
const shell = (args: string[], env: Record<string, string>) =>
  promisify(execFile)(process.execPath, [join(import.meta.dirname, '../src/cli.ts'), ...args], { env });

test('migrate: the newest schema is left as it is', async () => {
  const { stdout } = await shell(['migrate'], { DATABASE_URL: urlAs('parley_owner') });
  expect(stdout).toBe('The schema is the newest.\n');
});

test('tenant create: makes a tenant with its first workspace and environments', async () => {
  const { DATABASE_URL = '', MASTER_KEYS = '' } = settings();
  const { stdout } = await shell(['tenant', 'create', '--name', 'Acme', '--plan', 'team'], {
    DATABASE_URL,
    MASTER_KEYS,
  });
  const { tenant, environments } = JSON.parse(stdout) as { tenant: object; environments: object[] };
  expect(tenant).toMatchObject({ name: 'Acme', plan: 'team', status: 'active' });
  expect(environments).toHaveLength(2);
});

test('secrets rewrap: afterwards the old master key can go, and every secret still opens', async () => {
  const { DATABASE_URL = '', MASTER_KEYS: oldKey = '' } = settings();
  const newKey = `new:${randomBytes(32).toString('base64')}`;
  const tenants = [await aTenant(), await aTenant()];
  const made = await Promise.all(
    tenants.map(async (tenant) => {
      const answer = await tenant.post('/api-keys', {
        name: 'Site',
        keyType: 'public_widget',
        boundBotId: tenant.botId,
      });
      return { tenant, ...answer.json<{ apiKey: { id: string }; secret: string }>() };
    }),
  );
  const { stdout } = await shell(['secrets', 'rewrap'], { DATABASE_URL, MASTER_KEYS: `${newKey},${oldKey}` });
  expect(stdout).toContain('Done: 2 data keys of');

  const api = await openApi({ MASTER_KEYS: newKey });
  for (const { tenant, apiKey, secret } of made) {
    const shown = await as(tenant.headers, api.app).post(`/api-keys/${apiKey.id}/reveal`);
    expect(shown.json()).toEqual({ secret });
  }
  await api.close();
});

test('a command that does not exist, or lacks something, says what to do and exits with an error', async () => {
  await expect(shell(['destroy'], {})).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('parley-server migrate'),
  });
  await expect(shell(['tenant', 'create'], {})).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--name'),
  });
  await expect(shell(['migrate'], {})).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('DATABASE_URL'),
  });
});
