import { z } from 'zod';
import { defineEvent } from '../../platform/events.ts';
import { Action } from './actions.contract.ts';
import { ActionRun } from './run/runs.contract.ts';

// Names are public: customers subscribe to them. Add new ones; never rename or reuse one.
// What was asked for and what came back is in none of them: that goes when the conversation goes.

const run = z.object({ object: ActionRun });
const viewed = { permission: 'integration.view' } as const;
const unlogged = { ...viewed, isAudited: false };

export const actionInvoked = defineEvent('action.invoked', run, unlogged);
export const actionSucceeded = defineEvent('action.succeeded', run, unlogged);
export const actionFailed = defineEvent('action.failed', run, unlogged);
export const actionUnknown = defineEvent('action.unknown', run, viewed);

const own = { isPublic: false } as const;
const definition = z.object({ object: Action.omit({ lastRun: true, inputSchema: true, outputSchema: true }) });
export const actionCreated = defineEvent('action.created', definition, own);
export const actionUpdated = defineEvent('action.updated', definition, own);
export const actionDeleted = defineEvent('action.deleted', definition, own);
/** The visitor's word, for disputes: which arguments it was about, and not what they were. Also what wakes the run. */
export const actionAnswered = defineEvent(
  'action.answered',
  z.object({ object: ActionRun, isConfirmed: z.boolean() }),
  own,
);
/** Something was found out from outside: whoever waits for the run goes on. */
export const actionReconciled = defineEvent('action.reconciled', run, own);
