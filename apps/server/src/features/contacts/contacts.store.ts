import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { prepared } from '../../platform/prepared.ts';
import type { Contact } from './contacts.contract.ts';

// No `where tenantId` anywhere below: row-level security adds it, and a test proves it.

export const contactColumns = [
  'id',
  'environmentId',
  'externalUserId',
  'name',
  'email',
  'attributes',
  'tags',
  'firstSeenAt',
  'lastSeenAt',
  'createdAt',
  'updatedAt',
] as const;

/** What a session says about a contact. */
export interface ContactIdentity {
  id: Id<'contact'>;
  environmentId: string;
  externalUserId: string;
  email: string;
}

/** A message within this time of the last one writes nothing. */
const seenEveryMs = 5 * 60_000;

/** Inserts a contact, or updates its email and when it was last seen. Locks its row. undefined if nothing has changed. */
export const upsertContact = (tx: Tx, { id, environmentId, externalUserId, email }: ContactIdentity, now: Date) =>
  prepared(tx)
    .insertInto('contacts')
    .values({
      id,
      environmentId,
      externalUserId,
      email,
      firstSeenAt: now,
      lastSeenAt: now,
      createdAt: now,
      updatedAt: now,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['tenantId', 'id'])
        .doUpdateSet({
          email,
          lastSeenAt: now,
          updatedAt: sql`case when contacts.email = ${email} then contacts.updated_at else ${now} end`,
        })
        .where((eb) =>
          eb.or([
            eb('contacts.email', '<>', email),
            eb('contacts.lastSeenAt', '<', new Date(now.getTime() - seenEveryMs)),
          ]),
        ),
    )
    .returning([...contactColumns, sql<boolean>`xmax = 0`.as('isNew')])
    .$narrowType<Contact & { isNew: boolean }>()
    .executeTakeFirst();

/** Returns whether it is new. */
export const insertContact = async (tx: Tx, identity: ContactIdentity): Promise<boolean> =>
  (await tx
    .insertInto('contacts')
    .values(identity)
    .onConflict((conflict) => conflict.columns(['tenantId', 'id']).doNothing())
    .returning('id')
    .executeTakeFirst()) !== undefined;

const select = (tx: Tx) => tx.selectFrom('contacts').select(contactColumns).$narrowType<Contact>();

export const findContact = (tx: Tx, id: string): Promise<Contact | undefined> =>
  select(tx).where('id', '=', id).executeTakeFirst();

/** Locked until the transaction ends. */
export const lockContact = (tx: Tx, id: string): Promise<Contact | undefined> =>
  select(tx).where('id', '=', id).forNoKeyUpdate().executeTakeFirst();

export const findContactId = async (tx: Tx, environmentId: string, externalUserId: string) =>
  (
    await tx
      .selectFrom('contacts')
      .select('id')
      .where('environmentId', '=', environmentId)
      .where('externalUserId', '=', externalUserId)
      .executeTakeFirst()
  )?.id;

type ContactValues = Partial<Pick<Contact, 'name' | 'email' | 'attributes' | 'tags' | 'firstSeenAt' | 'updatedAt'>>;
export const updateContact = (tx: Tx, id: string, { attributes, ...values }: ContactValues): Promise<Contact> =>
  tx
    .updateTable('contacts')
    .set({ ...values, ...(attributes && { attributes: JSON.stringify(attributes) }) })
    .where('id', '=', id)
    .returning(contactColumns)
    .$narrowType<Contact>()
    .executeTakeFirstOrThrow();

/** Its terms are deleted with it. */
export const deleteContact = (tx: Tx, id: string) => tx.deleteFrom('contacts').where('id', '=', id).execute();

/** Replaces what the contact is found by. Writes only what has changed. */
export async function saveTerms(tx: Tx, contactId: string, terms: readonly string[]): Promise<void> {
  await sql`with outdated as (
      delete from contact_terms where contact_id = ${contactId} and term <> all (${terms}::text[]))
    insert into contact_terms (term, contact_id)
    select term, ${contactId} from unnest(${terms}::text[]) as term order by term on conflict do nothing`.execute(
    prepared(tx),
  );
}
