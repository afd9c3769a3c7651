import type { RequestInfo, Services, Operator } from '../../platform/context.ts';
import { conflict } from '../../platform/errors.ts';
import { statesOf } from '../../platform/key-schedule.ts';
import { inPool, recordPoolAudit, type PoolName } from '../../platform/pool.ts';
import { assertionDays, listAssertionKeys, tendAssertionKeys } from '../actions/index.ts';
import { listSigningKeys, tendKeys } from '../pools/index.ts';
import type { RotateSigningKey } from './key-rotation.contract.ts';

export interface SigningParts {
  services: Services;
  /** The pools whose people sign in here. */
  ownPools: readonly PoolName[];
  signingKeyDays: number;
}
type Signer = RotateSigningKey['of'];

/** Everything that signs here, with what each of its keys does now. */
export async function listSigners(parts: SigningParts) {
  const signers: Signer[] = [...parts.ownPools, 'assertions'];
  return Promise.all(signers.map(async (of) => ({ of, keys: await keysOf(parts, of) })));
}

async function keysOf({ services, signingKeyDays }: SigningParts, of: Signer) {
  const now = new Date();
  if (of === 'assertions') return statesOf(await listAssertionKeys(services), assertionDays, now);
  return statesOf(await listSigningKeys(services, of), signingKeyDays, now);
}

/**
 * An ordinary turn publishes the next key a day before it signs, so that nobody meets a key that they have not heard of. In
 * an emergency the old ones are gone at once, and with them everything that they signed.
 */
export async function rotateSigningKey(
  parts: SigningParts,
  { operator, requestInfo }: { operator: Operator; requestInfo: RequestInfo },
  { of, isEmergency, reason }: RotateSigningKey,
) {
  const { services, ownPools, signingKeyDays } = parts;
  if (of !== 'assertions' && !ownPools.includes(of))
    throw conflict('external_pool', 'Users of this pool sign in with an external issuer. Rotate the key there.');
  if (!isEmergency && (await keysOf(parts, of)).some(({ state }) => state === 'next'))
    throw conflict(
      'signing_key_rotation_in_progress',
      'The next key is already published and starts signing within a day.',
    );
  const wanted = { isEmergency, isWanted: true };
  await (of === 'assertions' ? tendAssertionKeys(services, wanted) : tendKeys(services, of, signingKeyDays, wanted));
  const keys = await keysOf(parts, of);
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
