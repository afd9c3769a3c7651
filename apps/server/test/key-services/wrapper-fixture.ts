import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { awsKmsWrapper } from '../../src/platform/aws-kms.ts';
import { keySettings } from '../../src/platform/key-settings.ts';
import { createSafeFetch } from '../../src/platform/safe-fetch.ts';
import { vaultWrapper } from '../../src/platform/vault-transit.ts';
import { arnOf, startAwsKms } from './aws-kms-server.ts';
import { startVault } from './vault-server.ts';

export const local = `local:${randomBytes(32).toString('base64')}`;
export const settingsWith = (more: Record<string, string>) =>
  z.object(keySettings).parse({ MASTER_KEYS: local, ...more });
export const context = { tenantId: 'ten_1', purpose: 'data-key', masterKeyId: 'k', version: 1 } as const;
export const unavailable = { code: 'UNAVAILABLE', reason: 'key_service_unavailable' };

export function fetchTo(...hosts: string[]) {
  const fetch = createSafeFetch({ openHosts: hosts, ownHosts: [] });
  onTestFinished(fetch.close);
  return fetch;
}
export async function anAwsKms(more: Record<string, string> = {}) {
  const server = await startAwsKms(['one', 'two']);
  onTestFinished(server.close);
  const settings = settingsWith({ ...server.settings, ...more });
  return { server, open: (name: string) => awsKmsWrapper(fetchTo(server.host), settings, arnOf(name)) };
}
export async function aVault(options: Parameters<typeof startVault>[1] = {}, more: Record<string, string> = {}) {
  const server = await startVault(['one', 'two'], options);
  onTestFinished(server.close);
  const settings = settingsWith({ ...server.settings, ...more });
  return { server, open: (name: string) => vaultWrapper(fetchTo(server.host), settings, name) };
}
