import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from './platform/db.ts';
import { adminRequests } from './platform/restate-admin.ts';
import { sweeperGraceSeconds } from './platform/sweeper.ts';

interface AfterRestoreOptions {
  restoredTo: Date | null;
  /** Raises the epoch also if it was raised on this timeline before. */
  isAgain: boolean;
  restate: { url: string | undefined; token: string | undefined };
  print: (line: string) => void;
}

/** A recovery to a point in time starts a new timeline; a dump that is loaded into a new cluster has another identifier. */
interface Cluster {
  systemIdentifier: string | null;
  timeline: number | null;
}

interface Restore extends Cluster {
  epoch: number;
  restoredAt: Date;
}

/**
 * Tells the server that its database went back in time. One row does it: from then on, no run from before it is sent, and
 * deliveries from before it say so (platform/restores.ts). So it can be interrupted anywhere, and repeated.
 */
export async function afterRestore(
  db: Db,
  { restoredTo, isAgain, restate, print }: AfterRestoreOptions,
): Promise<{ isReady: boolean }> {
  const cluster = await identify(db);
  const { restore, isNew } = await raiseEpoch(db, cluster, restoredTo, isAgain);
  const at = restore.restoredAt.toISOString();
  print(
    isNew
      ? `Restore epoch ${restore.epoch}, from ${at}. No action that was open before is sent; deliveries from before have the header X-Service-Restore-Epoch.`
      : `Restore epoch ${restore.epoch} was set at ${at}, on the timeline on which the database still is: nothing to do. If it was restored again without a new timeline, from a volume snapshot or a dump, add --again.`,
  );

  const connections = await serverConnections(db);
  if (connections > 0)
    print(
      `WARNING: the API or a worker was already connected (${connections} connections). What they sent before this may be a repeat.`,
    );
  const sessions = await endSessions(db, restore.restoredAt);
  print(`${sessions} sign-in sessions ended, because those that had been ended since would be open again.`);
  const timers = await makeTimersDue(db);
  print(
    `${timers.total} timers are due as soon as a worker starts; ${timers.runs} of them are action runs, which end as unknown or failed and notify their visitors.`,
  );
  if (restate.url === undefined) {
    print(`RESTATE_ADMIN_URL is not set, so Restate was not checked. ${wipe}`);
    return { isReady: true };
  }
  const problem = await problemOfRestate(restate.url, restate.token);
  print(problem ?? 'Restate is empty.');
  return { isReady: problem === null };
}

/** Managed services may not show all of it. */
async function identify(db: Db): Promise<Cluster> {
  const read = async <T>(query: ReturnType<typeof sql<{ value: T }>>): Promise<T | null> =>
    query.execute(db).then(
      ({ rows }) => rows[0]?.value ?? null,
      () => null,
    );
  return {
    systemIdentifier: await read(
      sql<{ value: string }>`select system_identifier::text as value from pg_control_system()`,
    ),
    // The first eight digits of a file's name. The control file has the timeline only from the next checkpoint on.
    timeline: await read(
      sql<{ value: number }>`select ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int as value`,
    ),
  };
}

async function raiseEpoch(db: Db, { systemIdentifier, timeline }: Cluster, restoredTo: Date | null, isAgain: boolean) {
  return db.transaction().execute(async (tx) => {
    await sql`lock table deployment.restores in share row exclusive mode`.execute(tx);
    const { rows: known } = await sql<Restore>`select * from deployment.restores order by epoch desc limit 1`.execute(
      tx,
    );
    const [last] = known;
    const isSame = timeline !== null && last?.timeline === timeline && last.systemIdentifier === systemIdentifier;
    if (last && isSame && !isAgain) return { restore: last, isNew: false };
    // Also higher than an epoch that was lost with a restore to a moment before it: each has its own timeline.
    const epoch = Math.max((last?.epoch ?? 0) + 1, timeline ?? 0);
    const { rows } = await sql<Restore>`
      insert into deployment.restores (epoch, restored_to, system_identifier, timeline)
      values (${epoch}, ${restoredTo}, ${systemIdentifier}, ${timeline}) returning *`.execute(tx);
    return { restore: rows[0] as Restore, isNew: true };
  });
}

async function serverConnections(db: Db): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from pg_stat_activity where datname = current_database() and usename = 'parley_app'`.execute(
    db,
  );
  return rows[0]?.n ?? 0;
}

const batchSize = 1_000;

/**
 * Users sign in again. Their current refresh tokens were lost anyway, and older ones would be accepted again. What was
 * created since, if this is repeated later, stays.
 */
async function endSessions(db: Db, before: Date): Promise<number> {
  let ended = 0;
  for (const pool of ['customer_pool', 'admin_pool']) {
    const [sessions, items] = [sql.id(pool, 'sessions'), sql.id(pool, 'oidc_items')];
    const end = sql`update ${sessions} set ended_at = now() where id = any (array(
      select id from ${sessions} where ended_at is null and created_at < ${before} limit ${batchSize}))`;
    const remove = sql`delete from ${items} where ctid = any (array(
      select ctid from ${items} where created_at < ${before} limit ${batchSize}))`;
    ended += await repeatUntilNone(db, end);
    await repeatUntilNone(db, remove);
  }
  return ended;
}

async function repeatUntilNone(db: Db, batch: ReturnType<typeof sql>): Promise<number> {
  for (let total = 0; ;) {
    const n = Number((await batch.execute(db)).numAffectedRows ?? 0);
    if (n === 0) return total;
    total += n;
  }
}

/** Work that Restate had scheduled, which was lost with its data. Other kinds are due at a time that still holds. */
const kinds = ['action-run', 'turn', 'webhook'];

/**
 * Lets the sweeper run them with its first sweep, instead of after its grace period. An endpoint that is on hold for longer
 * keeps its time.
 */
async function makeTimersDue(db: Db): Promise<{ total: number; runs: number }> {
  const counts = { total: 0, runs: 0 };
  for (let after = ['', '', '']; ;) {
    const { rows } = await sql<{ kind: string; tenantId: string; subjectId: string }>`
      with batch as (
        select kind, tenant_id, subject_id from directory.timers
        where kind = any (${kinds}) and (kind <> 'webhook' or due_at < now() + interval '1 minute')
          and (kind, tenant_id, subject_id) > (${after[0]}, ${after[1]}, ${after[2]})
        order by kind, tenant_id, subject_id limit ${batchSize}
      ), changed as (
        update directory.timers t set leased_until = '-infinity',
          due_at = least(t.due_at, now() - make_interval(secs => ${sweeperGraceSeconds}))
        from batch b where (t.kind, t.tenant_id, t.subject_id) = (b.kind, b.tenant_id, b.subject_id)
      )
      select * from batch order by kind, tenant_id, subject_id`.execute(db);
    counts.total += rows.length;
    counts.runs += rows.filter(({ kind }) => kind === 'action-run').length;
    const last = rows.at(-1);
    if (!last || rows.length < batchSize) return counts;
    after = [last.kind, last.tenantId, last.subjectId];
  }
}

const wipe = 'Stop Restate, delete its data and start it again: all work comes back from the database.';

/** Restate must not continue what the database no longer knows. */
async function problemOfRestate(url: string, token: string | undefined): Promise<string | null> {
  const { query } = adminRequests(url, token, 10_000);
  const Count = z.object({ n: z.number() });
  try {
    const [invocations] = await query(Count, 'select count(*) as n from sys_invocation');
    const [states] = await query(Count, 'select count(*) as n from state');
    const [n, m] = [invocations?.n ?? 0, states?.n ?? 0];
    return n + m === 0
      ? null
      : `Restate still has ${n} invocations and ${m} state entries from before the restore. ${wipe} Then run this command again.`;
  } catch {
    return `Restate’s admin API does not respond at ${url}, so its data could not be checked. ${wipe} Then run this command again.`;
  }
}
