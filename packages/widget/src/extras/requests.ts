import type { ChatClient } from '../chat/client.ts';
import type { Message, PastConversation } from '../shared/wire.ts';

/** Requests that only the extras make. */
export function createRequests(client: () => ChatClient) {
  const read = async <T>(path: string, more = {}) => (await client().call(path, more)).json() as Promise<T>;
  return {
    conversations: async () => (await read<{ data: PastConversation[] }>('conversations')).data,
    /** The last hundred, oldest first. */
    messagesOf: async (id: string) =>
      (await read<{ data: Message[] }>(`conversations/${id}/messages?limit=100`)).data.toReversed(),
    rate: (id: string, rating: number, comment: string) =>
      client().call(`conversations/${id}/rating`, { method: 'POST', body: { rating, ...(comment && { comment }) } }),
    confirm: (runId: string, argsHash: string, isConfirmed: boolean) =>
      client().post('confirm', { runId, argsHash, isConfirmed }),
    download: async () => (await client().call('me')).blob(),
    async erase(): Promise<string> {
      const { receiptId } = await read<{ receiptId: string }>('me', { method: 'DELETE' });
      client().notifyReset();
      return receiptId;
    },
  };
}
