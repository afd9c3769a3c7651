import { createHash } from 'node:crypto';
import type { Id } from '../../platform/ids.contract.ts';

const base32 = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * Contact id of a tenant's user. Derived from the user's id, so that a session can contain it before the row exists, and
 * concurrent sessions agree on it.
 */
export function contactIdOf(tenantId: string, environmentId: string, externalUserId: string): Id<'contact'> {
  const hash = createHash('sha256')
    .update(JSON.stringify([tenantId, environmentId, externalUserId]))
    .digest();
  // 26 characters; the first is at most 7, as in every id.
  const text = Array.from(hash.subarray(0, 26), (byte, index) => base32.charAt(index === 0 ? byte & 7 : byte & 31));
  return `con_${text.join('')}`;
}

/** A contact has one visitor id, on every device. */
export const visitorIdOf = (contactId: Id<'contact'>): Id<'visitor'> => `vis_${contactId.slice('con_'.length)}`;
