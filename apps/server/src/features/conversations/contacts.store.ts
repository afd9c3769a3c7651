import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';

interface SeenContact {
  id: string;
  environmentId: string;
  externalUserId: string;
  email: string;
}

/** Somebody the tenant vouches for, written when first seen and kept to what the tenant says of them now. */
export async function seeContact(tx: Tx, contact: SeenContact): Promise<'created' | 'updated' | 'none'> {
  const row = await tx
    .insertInto('contacts')
    .values(contact)
    .onConflict((known) =>
      known
        .columns(['tenantId', 'id'])
        .doUpdateSet({ email: contact.email, updatedAt: new Date() })
        .where('contacts.email', '<>', contact.email),
    )
    .returning(sql<boolean>`xmax = 0`.as('isNew'))
    .executeTakeFirst();
  if (!row) return 'none';
  return row.isNew ? 'created' : 'updated';
}

export const findContact = (tx: Tx, id: string) =>
  tx
    .selectFrom('contacts')
    .select(['id', 'externalUserId', 'email', 'createdAt'])
    .where('id', '=', id)
    .executeTakeFirst();

export const deleteContact = (tx: Tx, id: string) => tx.deleteFrom('contacts').where('id', '=', id).execute();
