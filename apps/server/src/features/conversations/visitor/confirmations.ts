import type { RequestInfo, VisitorSession } from '../../../platform/context.ts';
import { conflict, notFound, orNotFound } from '../../../platform/errors.ts';
import { answerRun, findRun, isOpen } from '../../actions/index.ts';
import { Confirmation, type AnswerConfirmation } from '../conversations.contract.ts';
import * as store from '../conversations.store.ts';
import { append, findEntry } from '../log/log.store.ts';
import { runChats } from '../turn/action-runs.ts';
import { asOwner, own, type VisitorDeps } from './visitor.service.ts';

/**
 * Records a visitor's response to a confirmation, once. Only for the latest arguments: consent to other arguments is not
 * consent to these.
 */
export const answerConfirmation = (
  deps: VisitorDeps,
  session: VisitorSession,
  id: string,
  { runId, argsHash, isConfirmed }: AnswerConfirmation,
  requestInfo: RequestInfo,
) =>
  asOwner(deps, session, requestInfo, async (ctx) => {
    const { tx, now } = ctx;
    await own(ctx, session, id);
    // Of two concurrent responses, the second sees the first.
    const conversation = orNotFound('conversation', await store.lock(tx, id));
    const shown = Confirmation.safeParse((await findEntry(tx, id, 'confirmation.required', { runId }))?.payload);
    const run = await findRun(tx, runId);
    if (!shown.success || run?.conversationId !== id) throw notFound('confirmation');
    if (shown.data.argsHash !== argsHash)
      throw conflict(
        'arguments_changed',
        'The request has changed since it was shown. Show the latest one and ask again.',
      );
    const earlier = (await findEntry(tx, id, 'confirmation.answered', { runId, argsHash }))?.payload;
    if (earlier) {
      if ((earlier as AnswerConfirmation).isConfirmed === isConfirmed) return { conversation };
      throw conflict('already_answered', 'This confirmation was already answered differently.');
    }
    const isOver = !isOpen(run); // cancelled with the conversation
    if (Date.parse(shown.data.expiresAt) <= now.getTime() || isOver)
      throw conflict('confirmation_expired', 'This confirmation has expired.');
    await append(ctx, id, [{ type: 'confirmation.answered', payload: { runId, argsHash, isConfirmed } }]);
    await answerRun(ctx, runChats, runId, isConfirmed);
    return { conversation: await own(ctx, session, id) };
  });
