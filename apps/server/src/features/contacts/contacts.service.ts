import type { Context } from '../../platform/context.ts';
import { later, type Tx } from '../../platform/db.ts';
import { notFound, orNotFound } from '../../platform/errors.ts';
import { emit } from '../../platform/events.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { readTimeCursor, toTimePage } from '../../platform/lists.ts';
import type { Conversation } from '../conversations/conversations.contract.ts';
import { fieldsAfter } from './contact-changes.ts';
import { maxCounted } from './contact-details.contract.ts';
import { termsOf } from './contact-terms.ts';
import type { Contact, ListContacts, UpdateContact } from './contacts.contract.ts';
import * as events from './contacts.events.ts';
import * as store from './contacts.store.ts';
import { list } from './list.store.ts';

/** Conversations of contacts. Passed in, because conversations depend on contacts. */
export interface ContactConversations {
  newest(tx: Tx, contactId: string, max: number): Promise<Conversation[]>;
  /** By contact, counted up to `max`. */
  count(tx: Tx, contactIds: readonly string[], max: number): Promise<ReadonlyMap<string, number>>;
}

const newestShown = 20;

export async function listContacts({ tx }: Context, conversations: ContactConversations, filter: ListContacts) {
  const page = toTimePage(await list(tx, filter, readTimeCursor(filter.cursor), filter.limit + 1), filter.limit);
  const ids = page.data.map(({ id }) => id);
  const counts = await conversations.count(tx, ids, maxCounted);
  return {
    ...page,
    data: page.data.map((contact) => ({ ...contact, conversationCount: counts.get(contact.id) ?? 0 })),
  };
}

export async function getContact({ tx }: Context, conversations: ContactConversations, id: string) {
  const contact = orNotFound('contact', await store.findContact(tx, id));
  return { contact, conversations: await conversations.newest(tx, id, newestShown) };
}

export async function updateContact(ctx: Context, id: string, change: UpdateContact): Promise<{ contact: Contact }> {
  const before = orNotFound('contact', await store.lockContact(ctx.tx, id));
  return { contact: await applyChange(ctx, before, change) };
}

/** The same, by the id in the tenant's system. */
export async function updateByExternalId(
  ctx: Context,
  { environmentId, externalUserId }: Pick<Contact, 'environmentId' | 'externalUserId'>,
  change: UpdateContact,
): Promise<{ contact: Contact }> {
  const id = await store.findContactId(ctx.tx, environmentId, externalUserId);
  if (id === undefined) throw notFound('contact');
  return updateContact(ctx, id, change);
}

/** Records that a contact is here, with the email of its session. Locks the contact until the commit. */
export async function recordContact(ctx: Context, identity: store.ContactIdentity, botId: Id<'bot'>): Promise<void> {
  const saved = await store.upsertContact(ctx.tx, identity, ctx.now);
  if (!saved) return;
  const { isNew, ...contact } = saved;
  later(ctx.tx, store.saveTerms(ctx.tx, contact.id, termsOf(contact)));
  if (!isNew && contact.updatedAt.getTime() !== ctx.now.getTime()) return; // seen again
  await publish(ctx, isNew ? events.contactCreated : events.contactUpdated, contact, botId);
}

/** Writes what a tenant's backend says about its user. Writes nothing if that is known. */
export async function saveIdentity(
  ctx: Context,
  identity: store.ContactIdentity,
  change: Pick<UpdateContact, 'name' | 'attributes'>,
  botId: Id<'bot'>,
): Promise<void> {
  const { tx } = ctx;
  const withEmail = { ...change, email: identity.email };
  const known = await store.findContact(tx, identity.id);
  if (known && !fieldsAfter(known, withEmail)) return;
  const isNew = !known && (await store.insertContact(tx, identity));
  const contact = orNotFound('contact', await store.lockContact(tx, identity.id));
  await applyChange(ctx, contact, withEmail, { botId, isNew });
}

async function applyChange(
  ctx: Context,
  before: Contact,
  change: UpdateContact,
  { botId, isNew = false }: { botId?: Id<'bot'>; isNew?: boolean } = {},
): Promise<Contact> {
  const after = fieldsAfter(before, change);
  if (!after && !isNew) return before;
  const contact = after ? await store.updateContact(ctx.tx, before.id, { ...after, updatedAt: ctx.now }) : before;
  await store.saveTerms(ctx.tx, contact.id, termsOf(contact));
  await publish(ctx, isNew ? events.contactCreated : events.contactUpdated, contact, botId);
  return contact;
}

/** The visitor was here before they were identified. */
export async function identifyContact(
  ctx: Context,
  id: string,
  visitor: { id: Id<'visitor'>; createdAt: Date },
  botId: Id<'bot'>,
): Promise<void> {
  const { firstSeenAt } = orNotFound('contact', await store.lockContact(ctx.tx, id));
  const contact = await store.updateContact(ctx.tx, id, {
    firstSeenAt: firstSeenAt < visitor.createdAt ? firstSeenAt : visitor.createdAt,
  });
  const { environmentId } = contact;
  await emit(ctx, events.contactIdentified, id, { object: contact, visitorId: visitor.id }, { environmentId, botId });
}

/** Deletes the row. Events about the contact are erased by the caller, together with its conversations. */
export async function deleteContact(ctx: Context, id: Id<'contact'>): Promise<void> {
  await store.deleteContact(ctx.tx, id);
  await emit(ctx, events.contactDeleted, id, { object: { id } });
}

const publish = (
  ctx: Context,
  event: typeof events.contactCreated,
  contact: Contact,
  botId: Id<'bot'> | undefined,
): Promise<void> =>
  emit(ctx, event, contact.id, { object: contact }, { environmentId: contact.environmentId, botId: botId ?? null });
