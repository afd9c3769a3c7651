import type { LeaderContext } from './leader-context.ts';

/** Visitor actions other than sending messages. */
export function createActions(call: LeaderContext['call'], conversation: () => string | undefined) {
  const post = (path: string, body?: object) =>
    call(`conversations/${conversation()}/${path}`, { method: 'POST', ...(body && { body }) });
  return {
    stop: () => post('stop'),
    askForPerson: () => post('handoff', {}),
    rate: (rating: number, comment: string) => post('rating', { rating, ...(comment && { comment }) }),
    feedback: (messageId: string, isHelpful: boolean) => post('rating', { messageId, isHelpful }),
    confirm: (runId: string, argsHash: string, isConfirmed: boolean) =>
      post('confirm', { runId, argsHash, isConfirmed }),
    download: async () => (await call('me')).blob(),
  };
}
