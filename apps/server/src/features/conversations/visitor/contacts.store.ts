import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import type { Id } from '../../../platform/ids.contract.ts';

interface ContactInput {
  id: string;
  environmentId: string;
  externalUserId: string;
  email: string;
}

/** Inserts a contact authenticated by the tenant, or updates its email. */
export async function upsertContact(tx: Tx, contact: ContactInput): Promise<'created' | 'updated' | 'none'> {
  const row = await tx
    .insertInto('contacts')
    .values(contact)
    .onConflict((conflict) =>
      conflict
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

interface ContactChange {
  email?: string | undefined;
  name?: string | undefined;
  attributes?: Record<string, unknown> | undefined;
}
export const updateContact = (
  tx: Tx,
  { environmentId, externalUserId }: Pick<ContactInput, 'environmentId' | 'externalUserId'>,
  { email, name, attributes }: ContactChange,
) =>
  tx
    .updateTable('contacts')
    .set({
      updatedAt: new Date(),
      ...(email !== undefined && { email }),
      ...(name !== undefined && { name }),
      // Merged: attributes that are not named stay.
      ...(attributes && { attributes: sql`attributes || ${JSON.stringify(attributes)}::jsonb` }),
    })
    .where('environmentId', '=', environmentId)
    .where('externalUserId', '=', externalUserId)
    .returning(['id', 'environmentId', 'externalUserId', 'email'])
    .$narrowType<{ id: Id<'contact'>; environmentId: Id<'environment'> }>()
    .executeTakeFirst();
