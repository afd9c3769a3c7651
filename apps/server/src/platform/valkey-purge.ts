import type { Valkey } from './valkey.ts';

type Theirs = (ids: readonly string[]) => Promise<ReadonlySet<string>>;

const ids = /(?<![a-z])[a-z]+_[0-7][0-9a-hjkmnp-tv-z]{25}/g;

/** Those of the names in which an id stands that is theirs. */
async function named(names: readonly string[], theirs: Theirs): Promise<string[]> {
  const found = names.map((name) => [name, name.match(ids) ?? []] as const);
  const all = [...new Set(found.flatMap(([, inName]) => inName))];
  const known = all.length > 0 ? await theirs(all) : new Set<string>();
  return found.filter(([, inName]) => inName.some((id) => known.has(id))).map(([name]) => name);
}

/**
 * Deletes the keys that name an id of which `theirs` says so, and the members of sorted sets that do. All of it ends by
 * itself within days; nobody has to rely on that. Says how many. Fails while Valkey is away.
 */
export async function purgeKeys(valkey: Valkey, prefix: string, theirs: Theirs): Promise<number> {
  let deleted = 0;
  for (let cursor = '0'; ;) {
    const [next, keys] = await valkey.scan(cursor, 'MATCH', `${prefix}*`, 'COUNT', 1_000);
    const gone = await named(keys, theirs);
    if (gone.length > 0) deleted += await valkey.del(...gone);
    cursor = next;
    if (cursor === '0') break;
  }
  for (let cursor = '0'; ;) {
    const [next, keys] = await valkey.scan(cursor, 'MATCH', `${prefix}*`, 'COUNT', 1_000, 'TYPE', 'zset');
    for (const key of keys) {
      const gone = await named(await valkey.zrange(key, 0, -1), theirs);
      if (gone.length > 0) deleted += await valkey.zrem(key, ...gone);
    }
    cursor = next;
    if (cursor === '0') return deleted;
  }
}
