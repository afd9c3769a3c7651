import { asSystem, inTenant, type Services } from '../../../platform/context.ts';
import type { StoredEvent } from '../../../platform/events.store.ts';
import { tokensOf } from '../../../platform/search-tokens.ts';
import type { Subscriber } from '../../../platform/relay.ts';
import { identityTokens } from '../../contacts/index.ts';
import { insertTokens, lockIndexable } from './tokens.store.ts';

/**
 * Indexes messages by their tokens, for search. Runs after the commit, so the chat never waits for it. Conversations
 * erased in the meantime are skipped: indexing and erasure take conflicting row locks.
 */
export const indexMessages =
  (services: Services): Subscriber =>
  async (tenantId, events) => {
    const tokensById = new Map<string, Set<string>>();
    for (const event of events) {
      if (event.type !== 'message.created' || event.conversationId === null) continue;
      const tokens = tokensById.get(event.conversationId) ?? new Set();
      for (const token of tokensOf(textOf(event))) tokens.add(token);
      tokensById.set(event.conversationId, tokens);
    }
    if (tokensById.size === 0) return;
    await inTenant(services, asSystem(tenantId, 'search'), async ({ tx }) => {
      const conversations = await lockIndexable(tx, [...tokensById.keys()]);
      const rows = conversations.flatMap((each) =>
        [...(tokensById.get(each.id) ?? []), ...identityTokens(each)].map((token) => ({
          token,
          conversationId: each.id,
        })),
      );
      if (rows.length > 0) await insertTokens(tx, rows);
    });
  };

const textOf = ({ body }: StoredEvent) =>
  (JSON.parse(body) as { data: { object: { text?: string } } }).data.object.text ?? ''; // erased
