import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { sql } from 'kysely';
import type { Db } from '../apps/server/src/platform/db.ts';
import type { Stack } from '../tools/stack/index.ts';
import { usageOf } from './cpu.ts';

/** The processes of each part. */
export type PartProcesses = Record<string, () => readonly number[]>;

export interface Sizes {
  /** Bytes of each table with its partitions, and of their indexes. */
  tables: Map<string, { rows: number; indexes: number }>;
  /** Written so far. */
  walBytes: number;
  /** Pages that were written to the WAL as a whole: each one that changes for the first time after a checkpoint. */
  fullPages: number;
  restateBytes: number;
  valkeyBytes: number;
  /** Used so far, by part. */
  cpuMs: Record<string, number>;
}

/** Everything that a deployment stores, at this moment, and the CPU time that it has used. */
export async function readSizes(admin: Db, { dir, valkey }: Stack, parts: PartProcesses): Promise<Sizes> {
  const tables = await sql<{ name: string; rows: number; indexes: number }>`
    select coalesce(pg_partition_root(c.oid), c.oid)::regclass::text as name,
      sum(pg_table_size(c.oid))::float8 as rows, sum(pg_indexes_size(c.oid))::float8 as indexes
    from pg_class c
    where c.relkind = 'r' and c.relnamespace::regnamespace::text !~ '^(pg_|information_schema)'
    group by 1`.execute(admin);
  const wal = await sql<{ bytes: number; fullPages: number }>`
    select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as bytes, wal_fpi::float8 as full_pages
    from pg_stat_wal`.execute(admin);
  const client = new Redis(valkey.url);
  const memory = await client.info('memory');
  client.disconnect();
  return {
    tables: new Map(tables.rows.map(({ name, rows, indexes }) => [name, { rows, indexes }])),
    walBytes: wal.rows[0]?.bytes ?? Number.NaN,
    fullPages: wal.rows[0]?.fullPages ?? Number.NaN,
    restateBytes: bytesIn(join(dir, 'restate')),
    valkeyBytes: Number(/used_memory:(\d+)/.exec(memory)?.[1]),
    cpuMs: Object.fromEntries(Object.entries(parts).map(([name, pids]) => [name, usageOf(pids()).cpuMs])),
  };
}

/** The blocks that it takes, not the lengths of its files. */
function bytesIn(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    try {
      if (entry.isFile()) bytes += 512 * statSync(join(entry.parentPath, entry.name)).blocks;
    } catch {
      continue; // deleted meanwhile
    }
  }
  return bytes;
}

export interface Growth {
  rows: number;
  indexes: number;
  /** The tables that grew, the largest first. */
  byTable: { name: string; bytes: number }[];
  walBytes: number;
  fullPages: number;
  valkeyBytes: number;
  cpuMs: Record<string, number>;
}

export function growthOf(before: Sizes, after: Sizes): Growth {
  const names = new Set([...before.tables.keys(), ...after.tables.keys()]);
  const changed = [...names].map((name) => {
    const [old, now] = [before.tables.get(name), after.tables.get(name)];
    return {
      name,
      rows: (now?.rows ?? 0) - (old?.rows ?? 0),
      indexes: (now?.indexes ?? 0) - (old?.indexes ?? 0),
    };
  });
  const sum = (field: 'rows' | 'indexes') => changed.reduce((total, one) => total + one[field], 0);
  return {
    rows: sum('rows'),
    indexes: sum('indexes'),
    byTable: changed
      .map(({ name, rows, indexes }) => ({ name, bytes: rows + indexes }))
      .filter(({ bytes }) => bytes > 0)
      .toSorted((a, b) => b.bytes - a.bytes),
    walBytes: after.walBytes - before.walBytes,
    fullPages: after.fullPages - before.fullPages,
    valkeyBytes: after.valkeyBytes - before.valkeyBytes,
    cpuMs: Object.fromEntries(Object.entries(after.cpuMs).map(([name, ms]) => [name, ms - (before.cpuMs[name] ?? 0)])),
  };
}
