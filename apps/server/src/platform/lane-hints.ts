import { createHash } from 'node:crypto';
import type { Id } from './ids.contract.ts';

// Tells the worker that owns an endpoint's lane that there is something new. A hint may be lost: workers also look for what
// is due at an interval.

/** Each endpoint has one of these slots. A lane is a range of slots. The same as `webhook_slot` in the database. */
export const slotCount = 4_096;
const slotOf = (webhookId: string) =>
  createHash('md5').update(webhookId).digest().readUInt16BE() >> 4; /* the first twelve bits */

export const laneOf = (webhookId: string, laneCount: number) => Math.floor((slotOf(webhookId) * laneCount) / slotCount);

/** A fixed number, so that processes that send hints need not know how many lanes there are. */
const channelCount = 64;
const channelOf = (slot: number) => `lanes:${Math.floor((slot * channelCount) / slotCount)}`;

/** The channels with hints for a lane, and perhaps for its neighbours. */
export function channelsOfLane(lane: number, laneCount: number): string[] {
  const slots = slotCount / laneCount;
  const perChannel = slotCount / channelCount;
  const channels = Math.max(1, slots / perChannel);
  return Array.from({ length: channels }, (_, n) => channelOf(lane * slots + n * perChannel));
}

export interface LaneHint {
  tenantId: Id<'tenant'>;
  webhookId: string;
  /** The endpoint itself has changed, such as its status, URL or secrets. */
  isChanged: boolean;
}

export function parseHints(message: string): LaneHint[] {
  const hints = JSON.parse(message) as [Id<'tenant'>, string, 0 | 1][];
  return hints.map(([tenantId, webhookId, isChanged]) => ({ tenantId, webhookId, isChanged: isChanged === 1 }));
}

type Notify = (channel: string, message: string) => void;
const pending = new WeakMap<Notify, Map<string, Map<string, LaneHint>>>();

/** Sends one message for each channel and tick, however many events were committed. */
export function hintLanes(
  notify: Notify,
  tenantId: Id<'tenant'>,
  webhookIds: readonly string[],
  { isChanged = false } = {},
): void {
  if (webhookIds.length === 0) return;
  let channels = pending.get(notify);
  if (!channels) {
    pending.set(notify, (channels = new Map()));
    setImmediate(() => flush(notify));
  }
  for (const webhookId of webhookIds) {
    const channel = channelOf(slotOf(webhookId));
    const hints = channels.get(channel) ?? new Map<string, LaneHint>();
    channels.set(channel, hints);
    hints.set(webhookId, { tenantId, webhookId, isChanged: isChanged || hints.get(webhookId)?.isChanged === true });
  }
}

function flush(notify: Notify) {
  const channels = pending.get(notify) ?? new Map<string, Map<string, LaneHint>>();
  pending.delete(notify);
  for (const [channel, hints] of channels)
    notify(
      channel,
      JSON.stringify(
        [...hints.values()].map(({ tenantId, webhookId, isChanged }) => [tenantId, webhookId, isChanged ? 1 : 0]),
      ),
    );
}
