import type { RequestInfo, Services, Operator } from '../../platform/context.ts';
import { conflict } from '../../platform/errors.ts';
import { statesOf } from '../../platform/key-schedule.ts';
import { inPool, recordPoolAudit, type PoolName } from '../../platform/pool.ts';
import { assertionDays, listAssertionKeys, rotateAssertionKeys } from '../actions/index.ts';
import { listSigningKeys, ensureSigningKeys } from '../pools/index.ts';
import type { RotateSigningKey } from './key-rotation.contract.ts';

export interface SigningDeps {
  services: Services;
  /** The pools whose users sign in to this deployment. */
  ownPools: readonly PoolName[];
  signingKeyDays: number;
}
type Signer = RotateSigningKey['of'];

/** All signers of this deployment with the state of their keys. */
export async function listSigners(deps: SigningDeps) {
  const signers: Signer[] = [...deps.ownPools, 'assertions'];
  return Promise.all(signers.map(async (of) => ({ of, keys: await keysOf(deps, of) })));
}

async function keysOf({ services, signingKeyDays }: SigningDeps, of: Signer) {
  const now = new Date();
  if (of === 'assertions') return statesOf(await listAssertionKeys(services), assertionDays, now);
  return statesOf(await listSigningKeys(services, of), signingKeyDays, now);
}

/**
 * Normally publishes the next key a day before it signs, so that verifiers with a cached key set know it. In an emergency the
 * old keys are removed immediately, and everything they signed becomes invalid.
 */
export async function rotateSigningKey(
  deps: SigningDeps,
  { operator, requestInfo }: { operator: Operator; requestInfo: RequestInfo },
  { of, isEmergency, reason }: RotateSigningKey,
) {
  const { services, ownPools, signingKeyDays } = deps;
  if (of !== 'assertions' && !ownPools.includes(of))
    throw conflict('external_pool', 'Users of this pool sign in with an external issuer. Rotate the key there.');
  if (!isEmergency && (await keysOf(deps, of)).some(({ state }) => state === 'next'))
    throw conflict(
      'signing_key_rotation_in_progress',
      'The next key is already published and starts signing within a day.',
    );
  const options = { isEmergency, rotate: true };
  await (of === 'assertions'
    ? rotateAssertionKeys(services, options)
    : ensureSigningKeys(services, of, signingKeyDays, options));
  const keys = await keysOf(deps, of);
  await inPool(services.db, 'admin', (tx) =>
    recordPoolAudit(tx, {
      action: 'signing_key.turned',
      userId: null,
      actor: operator.actor,
      ip: requestInfo.ip,
      requestId: requestInfo.requestId,
      data: { of, isEmergency, reason, kid: keys[0]?.kid ?? null },
    }),
  );
  return { of, keys };
}
