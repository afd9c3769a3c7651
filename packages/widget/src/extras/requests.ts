import type { ChatClient } from '../chat/client.ts';
import type { Message, PastConversation } from '../shared/wire.ts';

interface MessagePage {
  /** Oldest first. */
  messages: Message[];
  /** Where older ones end; null if there are none. */
  before: number | null;
}

/** Requests that only the extras make. */
export function createRequests(client: () => ChatClient) {
  const read = async <T>(path: string, more = {}) => (await client().call(path, more)).json() as Promise<T>;
  return {
    conversations: async () => (await read<{ data: PastConversation[] }>('conversations')).data,
    /** The last hundred before a position. */
    async messagesOf(id: string, end?: number): Promise<MessagePage> {
      const position = end === undefined ? '' : `&before=${end}`;
      const { data, before } = await read<{ data: Message[]; before: number | null }>(
        `conversations/${id}/messages?limit=100${position}`,
      );
      return { messages: data.toReversed(), before };
    },
    rate: (id: string, rating: number, comment: string) =>
      client().call(`conversations/${id}/rating`, { method: 'POST', body: { rating, ...(comment && { comment }) } }),
    confirm: (runId: string, argsHash: string, isConfirmed: boolean) =>
      client().post('confirm', { runId, argsHash, isConfirmed }),
    download: async () => (await client().call('me')).blob(),
    erase: async () => (await read<{ receiptId: string }>('me', { method: 'DELETE' })).receiptId,
  };
}

/** Makes a request and shows that it is running; a second tap on this element does nothing until then. */
export async function whileBusy(node: HTMLElement, work: () => Promise<unknown>): Promise<void> {
  if (node.ariaBusy) return;
  node.ariaBusy = 'true';
  await work().finally(() => (node.ariaBusy = null));
}
