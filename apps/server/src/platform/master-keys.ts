import { LRUCache } from 'lru-cache';
import { decryptAesGcm, encryptAesGcm } from './aes-gcm.ts';

/** Bound to a wrapped key as associated data, so that it cannot be unwrapped in another context. */
export interface WrapContext {
  tenantId: string;
  purpose: 'data-key' | 'platform-key';
  masterKeyId: string;
  version: number;
}

/** Wraps other keys, with a local key or by calling a key service. */
export interface KeyWrapper {
  /** Calls use the network, so they must not happen inside a transaction. */
  isRemote: boolean;
  wrap(key: Buffer, context: WrapContext): Promise<Buffer>;
  unwrap(wrapped: Buffer, context: WrapContext): Promise<Buffer>;
}

export interface MasterKey {
  id: string;
  /** Encrypts the deployment's own secrets: a local key itself, or the platform key that a key service unwrapped. */
  key: Buffer;
  wrapper: KeyWrapper;
}

export interface Keyring {
  /** Encrypts; all others only decrypt. */
  current: MasterKey;
  byId: ReadonlyMap<string, MasterKey>;
  /** Cache of unwrapped data keys. */
  unwrapped: LRUCache<string, Buffer>;
  /** Calls in progress, shared by requests that need the same data key. */
  unwrapping: Map<string, Promise<Buffer>>;
  /** Results or errors of the key service for one transaction (see `KeyServiceNeeded`). */
  prepared?: Map<string, Buffer | Error>;
}

export type MasterKeyEntry =
  | { id: string; kind: 'local'; key: Buffer }
  | { id: string; kind: 'awskms' | 'vault'; name: string };

const namePattern = {
  // No aliases: an alias could be moved to another key, which could not decrypt existing data.
  awskms: /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/,
  vault: /^[\w.-]{1,128}$/,
};

/** `id:base64`, `id:awskms:<key ARN>` or `id:vault:<key name>`, comma-separated. */
export function parseMasterKeys(text: string): MasterKeyEntry[] {
  const entries = text.split(',').map((entry): MasterKeyEntry => {
    const [id = '', kind = '', ...rest] = entry.trim().split(':');
    if (!/^[\w-]{1,32}$/.test(id)) throw invalidEntry();
    if (kind === 'awskms' || kind === 'vault') {
      const name = rest.join(':');
      if (!namePattern[kind].test(name)) throw invalidEntry();
      return { id, kind, name };
    }
    const key = Buffer.from(kind, 'base64');
    if (key.length !== 32) throw invalidEntry();
    return { id, kind: 'local', key };
  });
  if (new Set(entries.map(({ id }) => id)).size < entries.length)
    throw new Error('MASTER_KEYS contains the same id twice.');
  return entries;
}

const invalidEntry = () =>
  new Error(
    'A master key must be `id:` followed by 32 bytes in base64, `id:awskms:<key ARN>` or `id:vault:<key name>`.',
  );

/** The first key encrypts, all of them decrypt. Keys of a key service come from `openRemoteKeys`. */
export function openKeyring(masterKeys: string, remote: ReadonlyMap<string, MasterKey> = new Map()): Keyring {
  const keys = parseMasterKeys(masterKeys).map((entry) => {
    if (entry.kind === 'local') return { id: entry.id, key: entry.key, wrapper: localWrapper(entry.key) };
    const opened = remote.get(entry.id);
    if (!opened) throw new Error(`Master key '${entry.id}' needs its key service, which is not open.`);
    return opened;
  });
  const [current] = keys;
  if (!current) throw new Error('At least one master key is required.');
  const byId = new Map(keys.map((key) => [key.id, key]));
  return { current, byId, unwrapped: new LRUCache({ max: 10_000 }), unwrapping: new Map() };
}

/** AES-256-GCM, with the context as associated data. */
const localWrapper = (master: Buffer): KeyWrapper => ({
  isRemote: false,
  wrap: async (key, context) => encryptAesGcm(master, key, bytesOf(context)),
  unwrap: async (wrapped, context) => decryptAesGcm(master, wrapped, bytesOf(context)),
});

const bytesOf = ({ tenantId, purpose, masterKeyId, version }: WrapContext) =>
  Buffer.from([tenantId, purpose, masterKeyId, version].join('|'));

export function masterKeyOf({ byId }: Keyring, id: string): MasterKey {
  const master = byId.get(id);
  if (!master) throw new Error(`Master key '${id}' is not configured, but there are still secrets encrypted with it.`);
  return master;
}
