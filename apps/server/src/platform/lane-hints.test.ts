import { expect, test } from 'vitest';
import type { Id } from './ids.contract.ts';
import { channelsOfLane, hintLanes, laneOf, parseHints } from './lane-hints.ts';

const tenantId = 'ten_1' as Id<'tenant'>;
const ids = Array.from({ length: 500 }, (_, n) => `whk_${n}`);

test('sends one message per tick and channel, and remembers that an endpoint has changed', async () => {
  const sent: [string, string][] = [];
  const notify = (channel: string, message: string) => void sent.push([channel, message]);
  for (let n = 0; n < 10; n++) hintLanes(notify, tenantId, ids);
  hintLanes(notify, tenantId, ['whk_7'], { isChanged: true });
  hintLanes(notify, tenantId, ['whk_7']);
  expect(sent).toEqual([]);
  await new Promise(setImmediate);
  expect(new Set(sent.map(([channel]) => channel)).size).toBe(sent.length);
  const hints = sent.flatMap(([, message]) => parseHints(message));
  expect(hints.map(({ webhookId }) => webhookId).toSorted()).toEqual(ids.toSorted());
  expect(hints.filter(({ isChanged }) => isChanged)).toEqual([{ tenantId, webhookId: 'whk_7', isChanged: true }]);
});

test.each([1, 16, 64, 256, 4_096])(
  'with %i lanes, each endpoint’s hints arrive where its lane listens',
  async (count) => {
    const sent = new Map<string, string[]>();
    hintLanes(
      (channel, message) =>
        sent.set(
          channel,
          parseHints(message).map(({ webhookId }) => webhookId),
        ),
      tenantId,
      ids,
    );
    await new Promise(setImmediate);
    for (const [channel, webhookIds] of sent)
      for (const id of webhookIds) expect(channelsOfLane(laneOf(id, count), count)).toContain(channel);
    const lanes = Map.groupBy(ids, (id) => laneOf(id, count));
    if (count === 16) expect(lanes.size).toBe(16);
  },
);
