import { createHash } from 'node:crypto';
import type { Id } from '../../platform/ids.contract.ts';

const base32 = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * Who a tenant's own user is here. Made from what names them, so that a session can say it before there is a row, and two
 * sessions at once say the same.
 */
export function contactIdOf(tenantId: string, environmentId: string, externalUserId: string): Id<'contact'> {
  const hash = createHash('sha256')
    .update(JSON.stringify([tenantId, environmentId, externalUserId]))
    .digest();
  // 26 characters of which the first holds two bits only, as in every id.
  const text = Array.from(hash.subarray(0, 26), (byte, place) => base32.charAt(place === 0 ? byte & 7 : byte & 31));
  return `con_${text.join('')}`;
}

/** A contact is one visitor, wherever they come from. */
export const visitorIdOf = (contactId: Id<'contact'>): Id<'visitor'> => `vis_${contactId.slice('con_'.length)}`;
