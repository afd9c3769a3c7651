import type { Valkey } from './valkey.ts';

type FindOwnedIds = (ids: readonly string[]) => Promise<ReadonlySet<string>>;

const idPattern = /(?<![a-z])[a-z]+_[0-7][0-9a-hjkmnp-tv-z]{25}/g;

/** The names that contain an id of the tenant. */
async function namesWithOwnedIds(names: readonly string[], findOwned: FindOwnedIds): Promise<string[]> {
  const candidates = names.map((name) => [name, name.match(idPattern) ?? []] as const);
  const all = [...new Set(candidates.flatMap(([, inName]) => inName))];
  const owned = all.length > 0 ? await findOwned(all) : new Set<string>();
  return candidates.filter(([, inName]) => inName.some((id) => owned.has(id))).map(([name]) => name);
}

/**
 * Deletes the keys and the members of sorted sets that contain an id that `findOwned` returns, without waiting for them to
 * expire. Returns the number of deletions. Throws while Valkey is down.
 */
export async function purgeKeys(valkey: Valkey, prefix: string, findOwned: FindOwnedIds): Promise<number> {
  let deleted = 0;
  for (let cursor = '0'; ;) {
    const [next, keys] = await valkey.scan(cursor, 'MATCH', `${prefix}*`, 'COUNT', 1_000);
    const gone = await namesWithOwnedIds(keys, findOwned);
    if (gone.length > 0) deleted += await valkey.del(...gone);
    cursor = next;
    if (cursor === '0') break;
  }
  for (let cursor = '0'; ;) {
    const [next, keys] = await valkey.scan(cursor, 'MATCH', `${prefix}*`, 'COUNT', 1_000, 'TYPE', 'zset');
    for (const key of keys) {
      const gone = await namesWithOwnedIds(await valkey.zrange(key, 0, -1), findOwned);
      if (gone.length > 0) deleted += await valkey.zrem(key, ...gone);
    }
    cursor = next;
    if (cursor === '0') return deleted;
  }
}
