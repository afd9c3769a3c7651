import { hkdfSync, randomBytes } from 'node:crypto';
import { decryptAesGcm, encryptAesGcm } from '../../src/platform/aes-gcm.ts';
import { startKeyServer, type KeyRequest, type KeyResponse } from './server.ts';

interface Body {
  plaintext?: string;
  ciphertext?: string;
  context?: string;
  associated_data?: string;
}
interface TransitKey {
  versions: Buffer[];
  derived: boolean;
}

/** Implements Vault's transit API: `/v1/transit/encrypt/:name` and `/decrypt/:name`, with a token. */
export async function startVault(keyNames: readonly string[], { derived = false } = {}) {
  const keys = new Map(keyNames.map((name): [string, TransitKey] => [name, { versions: [randomBytes(32)], derived }]));
  const access = { token: `hvs.${randomBytes(16).toString('hex')}` };
  const calls: { operation: string; associatedData: string }[] = [];

  function respond({ method, path, headers, body: text }: KeyRequest): KeyResponse {
    if (headers['x-vault-token'] !== access.token) return failed(403, 'permission denied');
    const [, operation = '', name = ''] = /^\/v1\/transit\/(encrypt|decrypt)\/([\w.-]+)$/.exec(path) ?? [];
    if (!operation || method !== 'POST') return failed(404, 'no handler for route');
    const key = keys.get(name);
    if (!key) return failed(400, 'encryption key not found');
    const {
      plaintext = '',
      ciphertext = '',
      context = '',
      associated_data: associatedData = '',
    } = JSON.parse(text) as Body;
    calls.push({ operation, associatedData: Buffer.from(associatedData, 'base64').toString() });
    if (key.derived && context === '') return failed(400, "missing 'context' for key derivation");
    const boundTo = Buffer.from(associatedData, 'base64');
    const keyOf = (version: number) => {
      const secret = key.versions[version - 1] ?? Buffer.alloc(32);
      return key.derived ? Buffer.from(hkdfSync('sha256', secret, '', Buffer.from(context, 'base64'), 32)) : secret;
    };
    if (operation === 'encrypt') {
      const version = key.versions.length;
      const box = encryptAesGcm(keyOf(version), Buffer.from(plaintext, 'base64'), boundTo);
      return {
        status: 200,
        body: { data: { ciphertext: `vault:v${version}:${box.toString('base64')}`, key_version: version } },
      };
    }
    const [, version = '', box = ''] = /^vault:v(\d+):(.+)$/.exec(ciphertext) ?? [];
    if (!version) return failed(400, 'invalid ciphertext: no prefix');
    try {
      const plain = decryptAesGcm(keyOf(Number(version)), Buffer.from(box, 'base64'), boundTo);
      return { status: 200, body: { data: { plaintext: plain.toString('base64') } } };
    } catch {
      return failed(400, 'cipher: message authentication failed');
    }
  }

  const server = await startKeyServer(respond, failed(503, 'Vault is sealed'));
  return {
    ...server,
    access,
    calls,
    /** What `vault write -f transit/keys/:name/rotate` does. */
    rotate: (name: string) => keys.get(name)?.versions.push(randomBytes(32)),
    settings: { VAULT_ADDR: server.url, VAULT_TOKEN: access.token },
  };
}

const failed = (status: number, error: string): KeyResponse => ({ status, body: { errors: [error] } });
