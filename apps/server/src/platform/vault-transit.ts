import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { UnsafeConfig } from './config.ts';
import { callKeyService, keyFrom, keyServiceUnavailable, readJson } from './key-service.ts';
import type { KeySettings } from './key-settings.ts';
import type { KeyWrapper, WrapContext } from './master-keys.ts';
import type { SafeFetch } from './safe-fetch.ts';

const service = 'Vault';
const Encrypted = z.object({ data: z.object({ ciphertext: z.string().startsWith('vault:') }) });
const Decrypted = z.object({ data: z.object({ plaintext: z.base64().min(1) }) });
const ErrorResponse = z.object({ errors: z.array(z.string()) });

/** The Transit secrets engine of Vault or OpenBao. Its ciphertext (`vault:v1:…`) contains the key version and is stored unchanged. */
export function vaultWrapper(fetch: SafeFetch, settings: KeySettings, keyName: string): KeyWrapper {
  const { VAULT_ADDR: address, VAULT_NAMESPACE: namespace, VAULT_TRANSIT_MOUNT: mount } = settings;
  const { VAULT_TOKEN: token, VAULT_TOKEN_FILE: tokenFile } = settings;
  if (!address || (!token && !tokenFile))
    throw new UnsafeConfig('MASTER_KEYS uses Vault: set VAULT_ADDR, and VAULT_TOKEN or VAULT_TOKEN_FILE.');
  const base = `${address.replace(/\/$/, '')}/v1/${mount}`;

  async function call<T>(operation: 'encrypt' | 'decrypt', input: object, output: z.ZodType<T>): Promise<T> {
    const body = JSON.stringify(input);
    const response = await callKeyService(fetch, service, async () => ({
      url: `${base}/${operation}/${keyName}`,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-vault-request': 'true',
        'x-vault-token': token ?? (await readFile(tokenFile ?? '', 'utf8')).trim(),
        ...(namespace && { 'x-vault-namespace': namespace }),
      },
      body,
    }));
    const json = readJson(service, response);
    if (response.status === 200) {
      const parsed = output.safeParse(json);
      if (parsed.success) return parsed.data;
      throw keyServiceUnavailable(new Error(`${service}: unexpected response to ${operation}`));
    }
    const errors = ErrorResponse.safeParse(json).data?.errors.join('; ') ?? '';
    const error = new Error(`${service}: ${operation} failed with ${response.status} ${errors}`.trim());
    // 400: the ciphertext is damaged or has another context. All other errors can be fixed: a policy, a token, a sealed Vault.
    throw operation === 'decrypt' && response.status === 400 ? error : keyServiceUnavailable(error);
  }

  return {
    isRemote: true,
    wrap: async (key, context) => {
      const input = { plaintext: key.toString('base64'), ...bindingOf(context) };
      return Buffer.from((await call('encrypt', input, Encrypted)).data.ciphertext);
    },
    unwrap: async (wrapped, context) => {
      const input = { ciphertext: wrapped.toString(), ...bindingOf(context) };
      return keyFrom((await call('decrypt', input, Decrypted)).data.plaintext);
    },
  };
}

/** `associated_data` is for AEAD keys; `context` is for derived keys and ignored by others. */
function bindingOf({ tenantId, purpose, masterKeyId, version }: WrapContext) {
  const bytes = Buffer.from([tenantId, purpose, masterKeyId, version].join('|')).toString('base64');
  return { associated_data: bytes, context: bytes };
}
