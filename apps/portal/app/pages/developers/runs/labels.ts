import type { Schemas } from '@parley/portal-kit/service';

export type Run = Schemas['ActionRun'];
export type RunDetails = Schemas['ActionRunDetails'];
type State = Run['state'];
type Tone = 'good' | 'warn' | 'bad' | 'idle';
type Attempt = RunDetails['attempts'][number];

export const stateLabels: Record<State, { tone: Tone; label: string }> = {
  collecting: { tone: 'idle', label: 'Collecting inputs' },
  awaiting_confirmation: { tone: 'idle', label: 'Awaiting confirmation' },
  proposed: { tone: 'idle', label: 'Queued' },
  dispatched: { tone: 'idle', label: 'Running' },
  accepted: { tone: 'idle', label: 'Awaiting completion' },
  succeeded: { tone: 'good', label: 'Succeeded' },
  failed: { tone: 'bad', label: 'Failed' },
  unknown: { tone: 'warn', label: 'Unknown' },
  reconciled: { tone: 'good', label: 'Resolved' },
  declined: { tone: 'idle', label: 'Declined' },
  expired: { tone: 'idle', label: 'Confirmation expired' },
  cancelled: { tone: 'idle', label: 'Cancelled' },
};
/** The states of listed runs. A run that is still collecting inputs isn’t listed. */
export const states = (Object.keys(stateLabels) as State[]).filter((state) => state !== 'collecting');
export const isState = (value: string | null): value is State => value !== null && Object.hasOwn(stateLabels, value);

/** The label of a run’s state. A resolved run also shows its outcome. */
export function statusLabelOf({ state, outcome }: { state: string; outcome?: Run['outcome'] }): {
  tone: Tone;
  label: string;
} {
  if (state === 'reconciled' && outcome)
    return outcome === 'succeeded'
      ? { tone: 'good', label: 'Succeeded (resolved)' }
      : { tone: 'bad', label: 'Failed (resolved)' };
  return isState(state) ? stateLabels[state] : { tone: 'idle', label: state };
}

/** Still in progress. */
export const isInProgress = ({ state }: Pick<Run, 'state'>) => ['proposed', 'dispatched', 'accepted'].includes(state);

const stateTexts: Partial<Record<State, string>> = {
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
  no_response: 'Your system gave no clear response.',
  invalid_response: 'We couldn’t read your system’s response.',
  not_carried_out: 'Your system reported that it never ran the action.',
  no_completion: 'Your system accepted the request but didn’t report a result in time.',
  status_unknown: 'The status check gave no clear result.',
  restored:
    'The service was restored from a backup while this was in progress. Check in your system whether it went through.',
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
  const stateText = stateTexts[run.state];
  if (stateText) return stateText;
  const reasonPart = reasonText(run.reason);
  if (run.outcome === 'succeeded') return `The action succeeded. ${reasonPart}`.trim();
  if (run.outcome === 'unknown')
    return `We don’t know whether the action ran. ${reasonPart} It won’t be retried automatically.${run.conversationId ? ' The visitor has been notified.' : ''}`;
  return `The action failed. ${reasonPart}`.trim();
}

/** Labels for the result of an attempt. */
export const attemptLabels: Record<NonNullable<Attempt['end']> | 'gone', { tone: Tone; label: string }> = {
  answered: { tone: 'good', label: 'Succeeded' },
  refused: { tone: 'bad', label: 'Rejected' },
  accepted: { tone: 'idle', label: 'Accepted (202)' },
  unclear: { tone: 'warn', label: 'Unknown' },
  not_sent: { tone: 'idle', label: 'Not sent' },
  absent: { tone: 'idle', label: 'Not received' },
  pending: { tone: 'idle', label: 'In progress' },
  gone: { tone: 'warn', label: 'Interrupted' },
};
