import type { RequestInfo, Services, Operator } from '../../platform/context.ts';
import { transact } from '../../platform/db.ts';
import { conflict, orNotFound, unavailable } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { readCursor, toPage } from '../../platform/lists.ts';
import type { ListQuery } from '../../platform/lists.contract.ts';
import { enterPool, recordPoolAudit } from '../../platform/pool.ts';
import type { ProcessInfo } from '../../platform/processes.ts';
import { countEncryptedInPool } from '../accounts/index.ts';
import { listAssertionKeys } from '../actions/index.ts';
import { listAuditKeys } from '../audit/index.ts';
import { countDataKeys } from './key-rotation.cross-tenant.ts';
import type { KeyRotation } from './key-rotation.contract.ts';
import * as store from './key-rotation.store.ts';
import { listSigners, type SigningDeps } from './signing.service.ts';

export interface KeyDeps extends SigningDeps {
  services: Services;
  listProcesses(): Promise<ProcessInfo[]>;
  /** Continues a rotation now. Best effort: a worker checks every minute. */
  wake(rotationId: string): Promise<void>;
}
interface OperatorRequest {
  operator: Operator;
  requestInfo: RequestInfo;
}

export async function readKeys(deps: KeyDeps) {
  const { services } = deps;
  const processes = await deps.listProcesses().catch(() => null);
  const running = await store.findRunning(services.db);
  return {
    signing: await listSigners(deps),
    masterKeys: await listMasterKeys(deps, processes),
    processes:
      processes?.map(({ role, host, pid, startedAt, masterKeys }) => ({
        role,
        host,
        pid,
        startedAt,
        masterKeys,
        isReady: masterKeys[0] === services.keyring.current.id,
      })) ?? null,
    running: running ? toKeyRotation(running) : null,
  };
}

/** Master keys that a process has configured, or that still encrypt something. */
async function listMasterKeys({ services }: KeyDeps, processes: ProcessInfo[] | null) {
  const { current, byId } = services.keyring;
  const tenantCounts = await countDataKeys(services.db);
  const ids = new Set([current.id, ...byId.keys(), ...(processes ?? []).flatMap(({ masterKeys }) => masterKeys)]);
  for (const { id } of tenantCounts) ids.add(id);
  const signing = [...(await listAssertionKeys(services)), ...(await listAuditKeys(services))];
  const platformCounts = [
    ...(await countEncryptedInPool(services, 'customer', [...ids])),
    ...(await countEncryptedInPool(services, 'admin', [...ids])),
    ...signing.map(({ masterKeyId: id }) => ({ id, n: 1 })),
  ];
  const count = (rows: { id: string; n: number }[], of: string) =>
    rows.filter(({ id }) => id === of).reduce((all, { n }) => all + n, 0);
  return [...ids].map((id) => {
    const [dataKeys, platformSecrets] = [count(tenantCounts, id), count(platformCounts, id)];
    const isCurrent = id === current.id;
    const isRemovable = !isCurrent && byId.has(id) && dataKeys + platformSecrets === 0;
    return { id, isCurrent, isKnownHere: byId.has(id), dataKeys, platformSecrets, isRemovable };
  });
}

export async function startRotation(deps: KeyDeps, { operator, requestInfo }: OperatorRequest, reason: string) {
  const { services } = deps;
  const { id: masterKeyId } = services.keyring.current;
  await assertAllReady(deps, masterKeyId);
  const id = newId('keyRotation');
  const row = await transact(services.db, 'begin', async (tx) => {
    const isFirst = await store.insert(tx, { id, masterKeyId, reason, startedBy: operator.actor.id });
    if (!isFirst)
      throw conflict(
        'key_rotation_in_progress',
        'A rotation is already in progress. Wait for it to finish, or cancel it and start again.',
      );
    await enterPool(tx, 'admin', (inside) =>
      audit(inside, { operator, requestInfo }, 'key_rotation.started', { id, masterKeyId, reason }),
    );
    return store.find(tx, id);
  });
  await deps.wake(id).catch(() => {}); // a worker finds the row within a minute
  return { keyRotation: toKeyRotation(orNotFound('key_rotation', row)) };
}

/** A process without the new key couldn't decrypt new secrets, or would keep encrypting with the old key. */
async function assertAllReady({ listProcesses }: KeyDeps, masterKeyId: string) {
  const processes = await listProcesses().catch((error: unknown) => {
    throw unavailable(
      'valkey_unavailable',
      'Can’t check whether every process has the new master key, because Valkey is unavailable. Try again when it is back.',
      error,
    );
  });
  const outdated = processes.filter(({ masterKeys }) => masterKeys[0] !== masterKeyId);
  if (outdated.length === 0) return;
  const names = outdated.slice(0, 5).map(({ role, host, pid }) => `${role} ${host}/${pid}`);
  throw conflict(
    'processes_outdated',
    `Some processes don’t encrypt with '${masterKeyId}' yet: ${names.join(', ')}${outdated.length > 5 ? ` and ${outdated.length - 5} more` : ''}. Restart them with '${masterKeyId}' first in MASTER_KEYS.`,
  );
}

/** Safe at any point: re-encrypted secrets stay that way, and every secret can still be decrypted. */
export async function cancelRotation({ services }: KeyDeps, request: OperatorRequest, id: string) {
  const row = await transact(services.db, 'begin', async (tx) => {
    orNotFound('key_rotation', await store.find(tx, id));
    if (await store.cancel(tx, id))
      await enterPool(tx, 'admin', (inside) => audit(inside, request, 'key_rotation.cancelled', { id }));
    return store.find(tx, id);
  });
  return { keyRotation: toKeyRotation(orNotFound('key_rotation', row)) };
}

export const getRotation = async ({ services }: KeyDeps, id: string) => ({
  keyRotation: toKeyRotation(orNotFound('key_rotation', await store.find(services.db, id))),
});

export async function listRotations({ services }: KeyDeps, { cursor, limit }: ListQuery) {
  const rows = await store.list(services.db, readCursor(cursor), limit + 1);
  return toPage(rows.map(toKeyRotation), limit);
}

function toKeyRotation(row: store.Row): KeyRotation {
  const { id, status, masterKeyId, reason, startedBy, startedAt, failures, problem, finishedAt } = row;
  return {
    id,
    status,
    masterKeyId,
    reason,
    startedBy,
    startedAt,
    failures,
    problem,
    finishedAt,
    tenants: { done: row.tenantsDone, total: row.tenantsTotal },
    secrets: { done: row.secretsDone, total: row.secretsTotal },
  };
}

const audit = (
  tx: Parameters<typeof recordPoolAudit>[0],
  { operator: { actor }, requestInfo: { ip, requestId } }: OperatorRequest,
  action: string,
  data: Record<string, unknown>,
) => recordPoolAudit(tx, { action, userId: null, actor, ip, requestId, data });
