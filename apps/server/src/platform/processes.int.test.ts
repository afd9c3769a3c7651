import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, expect, inject, test, vi } from 'vitest';
import { openKeyring } from './crypto.ts';
import { announceProcess } from './processes.ts';
import { createLog } from './telemetry.ts';
import { openValkey } from './valkey.ts';

const log = createLog('test', 'silent');
const opened: { disconnect(): void }[] = [];
afterAll(() => opened.forEach((valkey) => valkey.disconnect()));

async function open() {
  const valkey = openValkey(inject('valkeyUrl'), log);
  opened.push(valkey);
  await expect.poll(() => valkey.status).toBe('ready');
  return valkey;
}
const keyring = openKeyring(`test:${randomBytes(32).toString('base64')}`);
const aPrefix = () => `processes_${randomUUID()}:`;

test('lists the other process, and itself even if its own entry is missing', async () => {
  const [prefix, valkey] = [aPrefix(), await open()];
  const api = announceProcess(valkey, prefix, 'api', keyring, { everyMs: 3_600_000 });
  const worker = announceProcess(valkey, prefix, 'worker', keyring, { everyMs: 3_600_000 });
  const rolesSeenBy = async (one: typeof api) => (await one.list()).map(({ role }) => role);
  await expect.poll(() => rolesSeenBy(api)).toEqual(['api', 'worker']);
  await expect.poll(() => rolesSeenBy(worker)).toEqual(['api', 'worker']);

  await valkey.del(await valkey.keys(`${prefix}*`));
  expect(await rolesSeenBy(api)).toEqual(['api']);
  expect(await rolesSeenBy(worker)).toEqual(['worker']);
});

test('an entry that is not renewed expires', async () => {
  const [prefix, valkey] = [aPrefix(), await open()];
  const api = announceProcess(valkey, prefix, 'api', keyring);
  announceProcess(valkey, prefix, 'worker', keyring, { everyMs: 3_600_000, ttlSeconds: 1 });
  await expect.poll(async () => (await api.list()).length, { interval: 10 }).toBe(2);
  await expect.poll(async () => (await api.list()).length).toBe(1);
});

test('waits for a slow response from Valkey, and throws while Valkey is down', async () => {
  const valkey = await open();
  const api = announceProcess(valkey, aPrefix(), 'api', keyring);
  vi.spyOn(valkey, 'smembers').mockRejectedValueOnce(new Error('Command timed out'));
  expect(await api.list()).toMatchObject([{ role: 'api', masterKeys: ['test'] }]);
  valkey.disconnect();
  await expect(api.list()).rejects.toThrow();
});
