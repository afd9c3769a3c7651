import { typeid } from 'typeid-js';
import { prefixes, type Id, type Kind } from './ids.contract.ts';

export const newId = <K extends Kind>(kind: K) => typeid(prefixes[kind]).toString() as Id<K>;

const base32 = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * A tenant's logical shard, 0..4095: the last 12 bits of its id. It says which cell holds the tenant without a look-up,
 * so it is in every tenant id, key and session token from the first day and never changes.
 */
export const shardOf = (tenantId: Id<'tenant'>): number =>
  Array.from(tenantId.slice(-3)).reduce((bits, character) => bits * 32 + base32.indexOf(character), 0) & 0xfff;

/** The shard as it stands in a key: three characters of base32. */
export const shardText = (shard: number): string =>
  base32.charAt(shard >> 10) + base32.charAt((shard >> 5) & 31) + base32.charAt(shard & 31);
