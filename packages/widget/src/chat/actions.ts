import type { LeaderContext } from './leader-context.ts';

/** Visitor actions other than sending messages. */
export function createActions(call: LeaderContext['call'], conversation: () => string | undefined) {
  const post = (path: string, body?: object) =>
    call(`conversations/${conversation()}/${path}`, { method: 'POST', ...(body && { body }) });
  return {
    post,
    stop: () => post('stop'),
    askForPerson: () => post('handoff', {}),
    feedback: (messageId: string, isHelpful: boolean) => post('rating', { messageId, isHelpful }),
    /** Tells agents what is on screen, and that the visitor writes. Not worth an error message. */
    markSeen: (seq: number) => void post('read', { seq }).catch(() => {}),
    notifyTyping: () => void post('typing').catch(() => {}),
  };
}
