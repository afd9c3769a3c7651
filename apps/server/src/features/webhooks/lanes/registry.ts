import type { Id } from '../../../platform/ids.contract.ts';
import { laneOf } from '../../../platform/lane-hints.ts';
import { hasWork, newEndpointState, type EndpointState } from './endpoint-state.ts';

/** Endpoints without work are kept in memory up to this number, so that their next event needs no reading. */
const maxIdle = 20_000;

/** The endpoints that this worker knows, by lane. */
export function createRegistry(laneCount: number) {
  const byId = new Map<string, EndpointState>();
  const byLane = new Map<number, Set<EndpointState>>();

  function drop(state: EndpointState) {
    state.isDropped = true;
    clearTimeout(state.timer);
    byId.delete(state.id);
    byLane.get(state.lane)?.delete(state);
  }

  /** Forgets the oldest that would be found again by a hint or by looking for what is due. */
  function evict() {
    if (byId.size <= maxIdle) return;
    for (const state of byId.values()) {
      if (!hasWork(state) && state.dueAt === Infinity && !state.isDirty) drop(state);
      if (byId.size <= maxIdle * 0.9) return;
    }
  }

  return {
    laneOf: (webhookId: string) => laneOf(webhookId, laneCount),
    find: (webhookId: string) => byId.get(webhookId),
    get(tenantId: Id<'tenant'>, webhookId: string): EndpointState {
      const known = byId.get(webhookId);
      if (known) return known;
      evict();
      const state = newEndpointState(tenantId, webhookId, laneOf(webhookId, laneCount));
      byId.set(webhookId, state);
      const lane = byLane.get(state.lane);
      if (lane) lane.add(state);
      else byLane.set(state.lane, new Set([state]));
      return state;
    },
    drop,
    all: () => byId.values(),
    inLane: (lane: number): Iterable<EndpointState> => byLane.get(lane) ?? [],
  };
}
