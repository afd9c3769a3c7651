import type { Context, RequestInfo } from '../../../platform/context.ts';
import { streamResponse } from '../../../platform/http/stream.ts';
import type { AgentDeps } from '../visitor/chat.ts';
import { accessEnd } from '../agent/access-end.ts';
import { watchInbox } from '../log/live.ts';
import { countInbox, findNewestWaiting } from './inbox.store.ts';
import { findRow } from '../agent/list.store.ts';
import { withPeople } from './people.store.ts';

/** After the first change, further ones are collected for this long: a busy inbox must not reload for each message. */
const batchMs = 250;
const endCheckMs = 2_500;
/** More than a page of the list: the client reloads it anyway. */
const maxIds = 50;

/** Sends which conversations have changed. The client reads them, so a lost event costs nothing but time. */
export async function followInbox({ signals }: AgentDeps, { tenantId }: Context, requestInfo: RequestInfo) {
  if (!requestInfo.wantsStream) return { conversationIds: [] };
  const checkEnd = accessEnd(requestInfo);
  return streamResponse(async (sink) => {
    const changed = new Set<string>();
    let timer: NodeJS.Timeout | undefined;
    const flush = () => {
      timer = undefined;
      if (changed.size === 0) return;
      sink.send({ event: 'inbox.changed', data: { conversationIds: [...changed].slice(0, maxIds) } });
      changed.clear();
      timer = setTimeout(flush, batchMs);
    };
    const subscription = watchInbox(signals, tenantId, (conversationId) => {
      changed.add(conversationId);
      if (!timer) flush();
    });
    // After lost signals, everything may have changed.
    const clearGap = signals.onGap(() => sink.send({ event: 'inbox.changed', data: { conversationIds: [] } }));
    const endTimer = setInterval(() => {
      checkEnd().then(
        (ended) => {
          if (ended) sink.end();
        },
        () => {},
      );
    }, endCheckMs);
    sink.onEnd(() => {
      subscription.stop();
      clearGap();
      clearTimeout(timer);
      clearInterval(endTimer);
    });
    await subscription.isListening;
    // Now nothing is missed: what happened before is in the data that the client reads next.
    sink.send({ event: 'inbox.changed', data: { conversationIds: [] } });
  });
}

export async function getCounts({ tx, actor }: Context) {
  const counts = await countInbox(tx, actor.id);
  const found = counts.waiting > 0 ? await findNewestWaiting(tx, actor.id) : undefined;
  const row = found && (await findRow(tx, found.id));
  const [newest] = row ? await withPeople(tx, [row]) : [];
  return {
    ...counts,
    newest: newest?.waitingSince
      ? {
          conversationId: newest.id,
          since: newest.waitingSince,
          name: newest.person.name,
          text: newest.visitorPreview || newest.preview,
        }
      : null,
  };
}
