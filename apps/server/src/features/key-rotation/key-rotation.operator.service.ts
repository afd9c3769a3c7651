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
import { listSigners, type SigningParts } from './signing.service.ts';

export interface KeyParts extends SigningParts {
  services: Services;
  listProcesses(): Promise<ProcessInfo[]>;
  /** Asks for a rotation to be gone on with, now. A hint: each worker looks every minute. */
  wake(rotationId: string): Promise<void>;
}
/** Which operator, and from where. */
interface By {
  operator: Operator;
  requestInfo: RequestInfo;
}

export async function readKeys(parts: KeyParts) {
  const { services } = parts;
  const processes = await parts.listProcesses().catch(() => null);
  const running = await store.findRunning(services.db);
  return {
    signing: await listSigners(parts),
    masterKeys: await listMasterKeys(parts, processes),
    processes:
      processes?.map(({ role, host, pid, startedAt, masterKeys }) => ({
        role,
        host,
        pid,
        startedAt,
        masterKeys,
        isReady: masterKeys[0] === services.keyring.current.id,
      })) ?? null,
    running: running ? shown(running) : null,
  };
}

/** Those that a process knows, and those that still encrypt something, known or not. */
async function listMasterKeys({ services }: KeyParts, processes: ProcessInfo[] | null) {
  const { current, byId } = services.keyring;
  const ofTenants = await countDataKeys(services.db);
  const ids = new Set([current.id, ...byId.keys(), ...(processes ?? []).flatMap(({ masterKeys }) => masterKeys)]);
  for (const { id } of ofTenants) ids.add(id);
  const signing = [...(await listAssertionKeys(services)), ...(await listAuditKeys(services))];
  const ofPlatform = [
    ...(await countEncryptedInPool(services, 'customer', [...ids])),
    ...(await countEncryptedInPool(services, 'admin', [...ids])),
    ...signing.map(({ masterKeyId: id }) => ({ id, n: 1 })),
  ];
  const count = (rows: { id: string; n: number }[], of: string) =>
    rows.filter(({ id }) => id === of).reduce((all, { n }) => all + n, 0);
  return [...ids].map((id) => {
    const [dataKeys, platformSecrets] = [count(ofTenants, id), count(ofPlatform, id)];
    const isCurrent = id === current.id;
    const isRemovable = !isCurrent && byId.has(id) && dataKeys + platformSecrets === 0;
    return { id, isCurrent, isKnownHere: byId.has(id), dataKeys, platformSecrets, isRemovable };
  });
}

export async function beginRotation(parts: KeyParts, { operator, requestInfo: from }: By, reason: string) {
  const { services } = parts;
  const { id: masterKeyId } = services.keyring.current;
  await assertAllReady(parts, masterKeyId);
  const id = newId('keyRotation');
  const row = await transact(services.db, 'begin', async (tx) => {
    const isFirst = await store.insert(tx, { id, masterKeyId, reason, startedBy: operator.actor.id });
    if (!isFirst)
      throw conflict(
        'key_rotation_in_progress',
        'A rotation is already in progress. Wait for it to finish, or cancel it and start again.',
      );
    await enterPool(tx, 'admin', (inside) =>
      note(inside, { operator, requestInfo: from }, 'key_rotation.started', { id, masterKeyId, reason }),
    );
    return store.find(tx, id);
  });
  await parts.wake(id).catch(() => {}); // the row is there: a worker finds it within a minute
  return { keyRotation: shown(orNotFound('key_rotation', row)) };
}

/** One that does not know the new key could not open what is encrypted by it, or would go on encrypting with the old one. */
async function assertAllReady({ listProcesses }: KeyParts, masterKeyId: string) {
  const processes = await listProcesses().catch((error: unknown) => {
    throw unavailable(
      'valkey_unavailable',
      'Can’t check whether every process has the new master key, because Valkey is unavailable. Try again when it is back.',
      error,
    );
  });
  const behind = processes.filter(({ masterKeys }) => masterKeys[0] !== masterKeyId);
  if (behind.length === 0) return;
  const names = behind.slice(0, 5).map(({ role, host, pid }) => `${role} ${host}/${pid}`);
  throw conflict(
    'processes_outdated',
    `Some processes don’t encrypt with '${masterKeyId}' yet: ${names.join(', ')}${behind.length > 5 ? ` and ${behind.length - 5} more` : ''}. Restart them with '${masterKeyId}' first in MASTER_KEYS.`,
  );
}

/** What was re-encrypted stays so, and every secret opens: a rotation can end anywhere. */
export async function cancelRotation({ services }: KeyParts, by: By, id: string) {
  const row = await transact(services.db, 'begin', async (tx) => {
    orNotFound('key_rotation', await store.find(tx, id));
    if (await store.cancel(tx, id))
      await enterPool(tx, 'admin', (inside) => note(inside, by, 'key_rotation.cancelled', { id }));
    return store.find(tx, id);
  });
  return { keyRotation: shown(orNotFound('key_rotation', row)) };
}

export const getRotation = async ({ services }: KeyParts, id: string) => ({
  keyRotation: shown(orNotFound('key_rotation', await store.find(services.db, id))),
});

export async function listRotations({ services }: KeyParts, { cursor, limit }: ListQuery) {
  const rows = await store.list(services.db, readCursor(cursor), limit + 1);
  return toPage(rows.map(shown), limit);
}

function shown(row: store.Row): KeyRotation {
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

const note = (
  tx: Parameters<typeof recordPoolAudit>[0],
  { operator: { actor }, requestInfo: { ip: address, requestId } }: By,
  action: string,
  data: Record<string, unknown>,
) => recordPoolAudit(tx, { action, userId: null, actor, ip: address, requestId, data });
