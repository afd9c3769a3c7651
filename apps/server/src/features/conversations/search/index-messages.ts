import { asSystem, inTenant, type Services } from '../../../platform/context.ts';
import type { StoredEvent } from '../../../platform/events.ts';
import type { Subscriber } from '../../../platform/relay.ts';
import { tokensOf } from './tokens.ts';
import { insertTokens, lockLiving } from './tokens.store.ts';

/**
 * Lists what was said by its tokens, for whoever searches. Behind the chat, which waits for none of it. What was erased
 * meanwhile is not listed: erasure and this never hold a conversation at once.
 */
export const indexMessages =
  (services: Services): Subscriber =>
  async (tenantId, events) => {
    const said = new Map<string, Set<string>>();
    for (const event of events) {
      if (event.type !== 'message.created' || event.conversationId === null) continue;
      const tokens = said.get(event.conversationId) ?? new Set();
      for (const token of tokensOf(textOf(event))) tokens.add(token);
      said.set(event.conversationId, tokens);
    }
    if (said.size === 0) return;
    await inTenant(services, asSystem(tenantId, 'search'), async ({ tx }) => {
      const living = await lockLiving(tx, [...said.keys()]);
      const rows = living.flatMap(({ id, email, externalUserId }) => {
        const theirs = tokensOf(`${email ?? ''} ${externalUserId ?? ''}`);
        return [...(said.get(id) ?? []), ...theirs].map((token) => ({ token, conversationId: id }));
      });
      if (rows.length > 0) await insertTokens(tx, rows);
    });
  };

const textOf = ({ body }: StoredEvent) =>
  (JSON.parse(body) as { data: { object: { text?: string } } }).data.object.text ?? ''; // erased
