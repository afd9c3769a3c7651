import { asSystem, inTenant, type Services } from '../../platform/context.ts';
import type { StoredEvent } from '../../platform/events.ts';
import type { Subscriber } from '../../platform/relay.ts';
import { wordsOf } from './words.ts';
import { insertWords, lockLiving } from './words.store.ts';

/**
 * Lists what was said by its words, for whoever searches. Behind the chat, which waits for none of it. What was erased
 * meanwhile is not listed: erasure and this never hold a conversation at once.
 */
export const listWords =
  (services: Services): Subscriber =>
  async (tenantId, events) => {
    const said = new Map<string, Set<string>>();
    for (const event of events) {
      if (event.type !== 'message.created' || event.conversationId === null) continue;
      const words = said.get(event.conversationId) ?? new Set();
      for (const word of wordsOf(textOf(event))) words.add(word);
      said.set(event.conversationId, words);
    }
    if (said.size === 0) return;
    await inTenant(services, asSystem(tenantId, 'search'), async ({ tx }) => {
      const living = await lockLiving(tx, [...said.keys()]);
      const rows = living.flatMap(({ id, email, externalUserId }) => {
        const theirs = wordsOf(`${email ?? ''} ${externalUserId ?? ''}`);
        return [...(said.get(id) ?? []), ...theirs].map((word) => ({ word, conversationId: id }));
      });
      if (rows.length > 0) await insertWords(tx, rows);
    });
  };

const textOf = ({ body }: StoredEvent) =>
  (JSON.parse(body) as { data: { object: { text?: string } } }).data.object.text ?? ''; // erased
