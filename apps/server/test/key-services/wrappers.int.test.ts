import { randomBytes } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openKeyring, type KeyWrapper } from '../../src/platform/master-keys.ts';
import type { SafeFetch } from '../../src/platform/safe-fetch.ts';
import type { Timeouts } from '../../src/platform/safe-fetch-clock.ts';
import { vaultWrapper } from '../../src/platform/vault-transit.ts';
import { startVault } from './vault-server.ts';
import { anAwsKms, aVault, context, fetchTo, local, settingsWith, unavailable } from './wrapper-fixture.ts';

const all: [string, () => Promise<{ open(name: string): KeyWrapper }>][] = [
  ['local keys', async () => ({ open: () => openKeyring(local).current.wrapper })],
  ['AWS KMS', () => anAwsKms()],
  ['Vault', () => aVault()],
  ['Vault with key derivation', () => aVault({ derived: true })],
];

describe.each(all)('%s', (_name, start) => {
  test('unwraps what it wrapped, and rejects another context or a changed byte', async () => {
    const { open } = await start();
    const { wrap, unwrap } = open('one');
    const key = randomBytes(32);
    const wrapped = await wrap(key, context);
    expect(wrapped.includes(key)).toBe(false);
    expect(await unwrap(wrapped, context)).toEqual(key);

    const others = [
      { tenantId: 'ten_2' },
      { purpose: 'platform-key' as const },
      { masterKeyId: 'other' },
      { version: 2 },
    ];
    for (const other of others) await expectRejected(unwrap(wrapped, { ...context, ...other }));
    for (const at of [wrapped.length - 8, wrapped.length - 30]) {
      const changed = Buffer.from(wrapped);
      changed.writeUInt8(changed.readUInt8(at) === 65 ? 66 : 65, at);
      await expectRejected(unwrap(changed, context));
    }
    await expectRejected(unwrap(randomBytes(60), context));
  });
});

/** Rejected permanently, as opposed to an outage. */
const expectRejected = (attempt: Promise<Buffer>) => expect(attempt).rejects.not.toMatchObject({ code: 'UNAVAILABLE' });

const remote = all.filter(([name]) => name !== 'local keys' && !name.includes('derivation'));
test.each(remote)('%s rejects what another of its keys wrapped', async (_name, start) => {
  const { open } = await start();
  const wrapped = await open('two').wrap(randomBytes(32), context);
  await expectRejected(open('one').unwrap(wrapped, context));
});

const services: [string, () => Promise<{ server: { state: { mode: string } }; open(name: string): KeyWrapper }>][] = [
  ['AWS KMS', () => anAwsKms()],
  ['Vault', () => aVault()],
];
test.each(services)('%s: throws key_service_unavailable in each kind of outage, and recovers', async (_name, start) => {
  const { server, open } = await start();
  const { wrap, unwrap } = open('one');
  const key = randomBytes(32);
  const wrapped = await wrap(key, context);
  for (const mode of ['failing', 'gone', 'hanging']) {
    server.state.mode = mode;
    await expect(unwrap(wrapped, context), mode).rejects.toMatchObject(unavailable);
    server.state.mode = 'up';
    expect(await unwrap(wrapped, context), mode).toEqual(key);
  }
});

test('rejects a key service at a private IP address that is not in EGRESS_OPEN_HOSTS', async () => {
  const server = await startVault(['one']);
  onTestFinished(server.close);
  const { wrap } = vaultWrapper(fetchTo(), settingsWith(server.settings), 'one');
  await expect(wrap(randomBytes(32), context)).rejects.toMatchObject(unavailable);
  expect(server.state.requests).toBe(0);
});

test('times out a key service within seconds', async () => {
  const timeoutsUsed: (Timeouts | undefined)[] = [];
  const hanging: SafeFetch = async ({ timeouts }) => {
    timeoutsUsed.push(timeouts);
    throw new Error('timeout');
  };
  const settings = settingsWith({ VAULT_ADDR: 'https://vault.example', VAULT_TOKEN: 'token' });
  await expect(vaultWrapper(hanging, settings, 'one').wrap(randomBytes(32), context)).rejects.toMatchObject(
    unavailable,
  );
  expect(timeoutsUsed.map((timeouts) => timeouts?.totalMs)).toEqual([3_000, 3_000]);
});
