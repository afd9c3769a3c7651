import { asSystem, inTenant, type Services } from '../../../platform/context.ts';
import type { Subscriber } from '../../../platform/relay.ts';
import { identityTokens } from '../../contacts/index.ts';
import { insertTokens, lockIndexable, newestOf } from './tokens.store.ts';

const maxConversations = 100;

/**
 * Indexes the newest conversations of contacts that have changed, so that they are found by a new name or email without
 * another message. The contact's page lists all of them.
 */
export const indexContacts =
  (services: Services): Subscriber =>
  async (tenantId, events) => {
    const contactIds = new Set(
      events.flatMap(({ type, subjectId }) => (type === 'contact.updated' ? [subjectId] : [])),
    );
    for (const contactId of contactIds)
      await inTenant(services, asSystem(tenantId, 'search'), async ({ tx }) => {
        const conversations = await lockIndexable(tx, await newestOf(tx, contactId, maxConversations));
        const rows = conversations.flatMap((each) =>
          identityTokens(each).map((token) => ({ token, conversationId: each.id })),
        );
        if (rows.length > 0) await insertTokens(tx, rows);
      });
  };
