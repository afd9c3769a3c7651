import type { RequestInfo, VisitorSession } from '../../../platform/context.ts';
import { markRead } from '../inbox/inbox.store.ts';
import { notifyLive } from '../log/live.ts';
import { asOwner, own, type VisitorDeps } from './visitor.service.ts';

/** Shows the visitor's typing to agents. */
export const typeAsVisitor = (deps: VisitorDeps, session: VisitorSession, id: string, requestInfo: RequestInfo) =>
  asOwner(
    deps,
    session,
    requestInfo,
    async (ctx) => {
      await own(ctx, session, id);
      ctx.afterCommit(() => notifyLive(ctx, id, { typing: { role: 'visitor', name: null } }));
      return {};
    },
    true,
  );

export const readAsVisitor = (
  deps: VisitorDeps,
  session: VisitorSession,
  id: string,
  seq: number,
  requestInfo: RequestInfo,
) =>
  asOwner(deps, session, requestInfo, async (ctx) => {
    await own(ctx, session, id);
    if (await markRead(ctx.tx, id, 'visitorReadSeq', seq))
      ctx.afterCommit(() => notifyLive(ctx, id, { read: { role: 'visitor', seq } }));
    return {};
  });
