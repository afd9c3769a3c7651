import type { TimelineEntry } from './states.ts';

export type ConfirmationState = 'waiting' | 'confirmed' | 'cancelled' | 'expired';

/** What became of a confirmation: the visitor's answer, or the end of its run without one. `now`: unknown on the server. */
export function confirmationState(
  { data }: Pick<TimelineEntry, 'data'>,
  entries: readonly Pick<TimelineEntry, 'type' | 'data'>[],
  now: number | undefined,
): ConfirmationState {
  const ofRun = entries.filter((entry) => entry.data['runId'] === data['runId']);
  const answer = ofRun.find(({ type }) => type === 'confirmation.answered');
  if (answer) return answer.data['isConfirmed'] ? 'confirmed' : 'cancelled';
  const end = ofRun.find(({ type }) => type === 'action.finished');
  if (end) return end.data['state'] === 'expired' ? 'expired' : 'cancelled';
  return now !== undefined && Date.parse(String(data['expiresAt'])) < now ? 'expired' : 'waiting';
}
