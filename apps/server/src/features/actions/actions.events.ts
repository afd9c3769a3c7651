import { z } from 'zod';
import { defineEvent } from '../../platform/events.ts';
import { Action } from './actions.contract.ts';
import { ActionRun } from './run/runs.contract.ts';

// Names are public: customers subscribe to them. Add new ones; never rename or reuse one.
// No event contains the input or the output of a run: those are deleted with the conversation.

const run = z.object({ object: ActionRun });
const viewable = { permission: 'integration.view' } as const;
const unaudited = { ...viewable, isAudited: false };

export const actionInvoked = defineEvent('action.invoked', run, unaudited);
export const actionSucceeded = defineEvent('action.succeeded', run, unaudited);
export const actionFailed = defineEvent('action.failed', run, unaudited);
export const actionUnknown = defineEvent('action.unknown', run, viewable);

const internal = { isPublic: false } as const;
const definition = z.object({ object: Action.omit({ lastRun: true, inputSchema: true, outputSchema: true }) });
export const actionCreated = defineEvent('action.created', definition, internal);
export const actionUpdated = defineEvent('action.updated', definition, internal);
export const actionDeleted = defineEvent('action.deleted', definition, internal);
/** Records the visitor's decision for disputes, with the hash of the arguments but not their values. Also wakes the run. */
export const actionAnswered = defineEvent(
  'action.answered',
  z.object({ object: ActionRun, isConfirmed: z.boolean() }),
  internal,
);
/** The outcome was determined outside the run. Wakes the parent workflow. */
export const actionReconciled = defineEvent('action.reconciled', run, internal);
