import type { Schemas } from '@parley/portal-kit/service';

export type Run = Schemas['ActionRun'];
export type RunDetails = Schemas['ActionRunDetails'];
type State = Run['state'];
type Tone = 'good' | 'warn' | 'bad' | 'idle';
type Attempt = RunDetails['attempts'][number];

export const stateWords: Record<State, { tone: Tone; word: string }> = {
  collecting: { tone: 'idle', word: 'Collecting inputs' },
  awaiting_confirmation: { tone: 'idle', word: 'Awaiting confirmation' },
  proposed: { tone: 'idle', word: 'Queued' },
  dispatched: { tone: 'idle', word: 'Running' },
  accepted: { tone: 'idle', word: 'Awaiting completion' },
  succeeded: { tone: 'good', word: 'Succeeded' },
  failed: { tone: 'bad', word: 'Failed' },
  unknown: { tone: 'warn', word: 'Unknown' },
  reconciled: { tone: 'good', word: 'Resolved' },
  declined: { tone: 'idle', word: 'Declined' },
  expired: { tone: 'idle', word: 'Confirmation expired' },
  cancelled: { tone: 'idle', word: 'Cancelled' },
};
/** The states of listed runs. A run that is still collecting inputs isn’t listed. */
export const states = (Object.keys(stateWords) as State[]).filter((state) => state !== 'collecting');
export const isState = (value: string | null): value is State => value !== null && Object.hasOwn(stateWords, value);

/** The label of a run’s state. A resolved run also shows its outcome. */
export function endOf({ state, outcome }: { state: string; outcome?: Run['outcome'] }): { tone: Tone; word: string } {
  if (state === 'reconciled' && outcome)
    return outcome === 'succeeded'
      ? { tone: 'good', word: 'Succeeded (resolved)' }
      : { tone: 'bad', word: 'Failed (resolved)' };
  return isState(state) ? stateWords[state] : { tone: 'idle', word: state };
}

/** Still in progress. */
export const isMoving = ({ state }: Pick<Run, 'state'>) => ['proposed', 'dispatched', 'accepted'].includes(state);

const sentences: Partial<Record<State, string>> = {
  collecting: 'The bot is asking the visitor for inputs. Nothing has been sent.',
  awaiting_confirmation: 'Waiting for the visitor to confirm. Nothing has been sent.',
  proposed: 'The request will be sent in a moment.',
  dispatched: 'We called your system and are waiting for its response or the next retry.',
  accepted: 'Your system accepted the request (202) and has 24 hours to send `action.completed`.',
  declined: 'The visitor declined. Nothing was sent.',
  expired: 'The visitor didn’t confirm in time. Nothing was sent.',
  cancelled: 'The run was cancelled before anything was sent.',
};

const reasons: Record<string, string> = {
  refused: 'Your system rejected the request.',
  unreachable: 'We couldn’t reach your system.',
  no_answer: 'Your system gave no clear response.',
  invalid_response: 'We couldn’t read your system’s response.',
  not_carried_out: 'Your system reported that it never ran the action.',
  no_completion: 'Your system accepted the request but didn’t report a result in time.',
  status_unknown: 'The status check gave no clear result.',
  resolved: 'The result was recorded after a check in your system.',
  invalid_input: 'The inputs don’t match the action’s schema, so nothing was sent.',
  too_late: 'It couldn’t be sent within 24 hours.',
  endpoint_missing: 'The endpoint has been deleted, so nothing was sent.',
  not_in_plan: 'Your plan no longer includes private actions, so nothing was sent.',
  stopped: 'The visitor stopped it before it was sent.',
  declined: 'The visitor declined.',
  not_confirmed: 'The visitor didn’t confirm in time.',
};
const reasonText = (reason: string | null) => (reason === null ? '' : (reasons[reason] ?? ''));

/** The state or outcome of a run in a sentence, with its reason. */
export function outcomeText(run: Pick<Run, 'state' | 'outcome' | 'reason' | 'conversationId'>): string {
  const known = sentences[run.state];
  if (known) return known;
  const why = reasonText(run.reason);
  if (run.outcome === 'succeeded') return `The action succeeded. ${why}`.trim();
  if (run.outcome === 'unknown')
    return `We don’t know whether the action ran. ${why} It won’t be retried automatically.${run.conversationId ? ' The visitor has been notified.' : ''}`;
  return `The action failed. ${why}`.trim();
}

/** Labels for the result of an attempt. */
export const attemptWords: Record<NonNullable<Attempt['end']> | 'gone', { tone: Tone; word: string }> = {
  answered: { tone: 'good', word: 'Succeeded' },
  refused: { tone: 'bad', word: 'Rejected' },
  accepted: { tone: 'idle', word: 'Accepted (202)' },
  unclear: { tone: 'warn', word: 'Unknown' },
  not_sent: { tone: 'idle', word: 'Not sent' },
  absent: { tone: 'idle', word: 'Not received' },
  pending: { tone: 'idle', word: 'In progress' },
  gone: { tone: 'warn', word: 'Interrupted' },
};
