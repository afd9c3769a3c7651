import type { Schemas } from '@parley/portal-kit/service';

export type Run = Schemas['ActionRun'];
export type RunDetails = Schemas['ActionRunDetails'];
type State = Run['state'];
type Tone = 'good' | 'warn' | 'bad' | 'idle';
type Attempt = RunDetails['attempts'][number];

export const stateWords: Record<State, { tone: Tone; word: string }> = {
  collecting: { tone: 'idle', word: 'Asking for details' },
  awaiting_confirmation: { tone: 'idle', word: 'Waits for the visitor' },
  proposed: { tone: 'idle', word: 'About to be sent' },
  dispatched: { tone: 'idle', word: 'Under way' },
  accepted: { tone: 'idle', word: 'Finished later' },
  succeeded: { tone: 'good', word: 'Done' },
  failed: { tone: 'bad', word: 'Not done' },
  unknown: { tone: 'warn', word: 'Unknown' },
  reconciled: { tone: 'good', word: 'Found out later' },
  declined: { tone: 'idle', word: 'Declined' },
  expired: { tone: 'idle', word: 'Not confirmed' },
  cancelled: { tone: 'idle', word: 'Cancelled' },
};
/** Those that are listed: what is still being asked for is not yet one of them. */
export const states = (Object.keys(stateWords) as State[]).filter((state) => state !== 'collecting');
export const isState = (value: string | null): value is State => value !== null && Object.hasOwn(stateWords, value);

/** In a word. What was found out later is said with what it was. */
export function endOf({ state, outcome }: { state: string; outcome?: Run['outcome'] }): { tone: Tone; word: string } {
  if (state === 'reconciled' && outcome)
    return outcome === 'succeeded'
      ? { tone: 'good', word: 'Done, found out later' }
      : { tone: 'bad', word: 'Not done, found out later' };
  return isState(state) ? stateWords[state] : { tone: 'idle', word: state };
}

/** Somebody or something is still at it. */
export const isMoving = ({ state }: Pick<Run, 'state'>) => ['proposed', 'dispatched', 'accepted'].includes(state);

const sentences: Partial<Record<State, string>> = {
  collecting: 'The visitor is asked for what is missing. Nothing was sent yet.',
  awaiting_confirmation: 'The visitor is asked whether to go on. Nothing is sent before they agree.',
  proposed: 'It is sent in a moment.',
  dispatched: 'Your system was called. We wait for its answer, or for the time to ask again.',
  accepted: 'Your system took it (202) and says later how it ended, with `action.completed`, within 24 hours.',
  declined: 'The visitor said no. Nothing was sent.',
  expired: 'The visitor did not agree in time. Nothing was sent.',
  cancelled: 'It was called off before anything was sent.',
};

const reasons: Record<string, string> = {
  refused: 'Your system refused it.',
  unreachable: 'Your system could not be reached, so nothing was carried out.',
  no_answer: 'Your system gave no clear answer.',
  invalid_response: 'Your system answered in a way that we cannot read.',
  not_carried_out: 'Your system says that it never carried it out.',
  no_completion: 'Your system took it, and did not say in time how it ended.',
  status_unknown: 'Your system was asked what became of it, and gave no clear answer.',
  resolved: 'Somebody looked it up in your system.',
  invalid_input: 'What was to be sent does not match the input of the action, so nothing was sent.',
  too_late: 'It could not be sent for a day, and after that it is not sent any more.',
  endpoint_missing: 'The endpoint is gone, so there was nothing to call.',
  not_in_plan: 'Your plan has no private actions any more, so nothing was sent.',
  stopped: 'The visitor stopped it before it was sent.',
  declined: 'The visitor said no.',
  not_confirmed: 'The visitor did not agree in time.',
};
const reasonText = (reason: string | null) => (reason === null ? '' : (reasons[reason] ?? ''));

/** How it stands or ended, and why, as one would tell a colleague. */
export function outcomeText(run: Pick<Run, 'state' | 'outcome' | 'reason' | 'conversationId'>): string {
  const known = sentences[run.state];
  if (known) return known;
  const why = reasonText(run.reason);
  if (run.outcome === 'succeeded') return `It was carried out. ${why}`.trim();
  if (run.outcome === 'unknown')
    return `Nobody knows whether it was carried out. ${why} It is not sent again by itself${run.conversationId ? ', and the visitor was told so' : ''}.`;
  return `It was not carried out. ${why}`.trim();
}

/** How a line of the ledger ended. */
export const attemptWords: Record<NonNullable<Attempt['end']> | 'gone', { tone: Tone; word: string }> = {
  answered: { tone: 'good', word: 'Answered' },
  refused: { tone: 'bad', word: 'Refused' },
  accepted: { tone: 'idle', word: 'Taken (202)' },
  unclear: { tone: 'warn', word: 'Not clear' },
  not_sent: { tone: 'idle', word: 'Not sent' },
  absent: { tone: 'idle', word: 'Never got it' },
  pending: { tone: 'idle', word: 'Still at it' },
  gone: { tone: 'warn', word: 'No end noted' },
};

export const effectWords: Record<Run['effect'], string> = {
  idempotent: 'Sent again with the same key',
  reconcile: 'Asked for before sent again',
  at_most_once: 'Never sent twice',
};
