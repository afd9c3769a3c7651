import type { Context, VisitorSession } from '../../../platform/context.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { findContact, identifyContact, identityTokens, recordContact } from '../../contacts/index.ts';
import * as store from '../conversations.store.ts';
import { identifiedEntry } from '../log/follow.ts';
import { append } from '../log/log.store.ts';
import { insertTokens } from '../search/tokens.store.ts';
import { assignToContact, lockAnonymous, lockVisitor } from './identify.store.ts';

/** The visitor of a visitor token, which proves that the request comes from the same browser. */
export interface VisitorProof {
  visitorId: Id<'visitor'>;
  issuedAt: Date;
}

/**
 * Makes the conversations of an anonymous visitor those of the contact of the session. A visitor belongs to one contact
 * at most. Repeating it changes nothing; conversations that the visitor has started since are added.
 */
export async function mergeVisitor(ctx: Context, session: VisitorSession, proof: VisitorProof): Promise<void> {
  const { tx } = ctx;
  const { contact, environmentId, botId } = session;
  if (!contact) return;
  const isMergeable = (visitor: { tokensAfter: Date; contactId: string | null } | undefined) =>
    visitor !== undefined &&
    visitor.tokensAfter <= proof.issuedAt &&
    (visitor.contactId === null || visitor.contactId === contact.id);
  const anonymous = { visitorId: proof.visitorId, contactId: undefined };
  // Read first: a page view of a known contact locks nothing.
  const known = await store.findVisitor(tx, proof.visitorId);
  if (!isMergeable(known)) return;
  if (known?.contactId === contact.id && (await store.listOwned(tx, anonymous, 1)).length === 0) return;

  const visitor = await lockVisitor(tx, proof.visitorId); // first, like a message of this visitor
  if (!visitor || !isMergeable(visitor)) return;
  await recordContact(ctx, { ...contact, environmentId }, botId);
  const conversations = await lockAnonymous(tx, proof.visitorId);
  for (const { id, state } of conversations)
    if (state !== 'closed') await append(ctx, id, [{ type: identifiedEntry, payload: { contactId: contact.id } }]);
  await assignToContact(tx, { visitorId: proof.visitorId, contactId: contact.id });
  const recorded = await findContact(tx, contact.id); // with the name, which the session does not have
  const contactTokens = recorded ? identityTokens(recorded) : [];
  await insertTokens(
    tx,
    conversations.flatMap(({ id }) => contactTokens.map((token) => ({ token, conversationId: id }))),
  );
  if (visitor.contactId === null) await identifyContact(ctx, contact.id, visitor, botId);
}
