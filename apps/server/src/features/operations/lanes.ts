import { advise, type AdviceName } from './advice.ts';
import type { Lane } from './system.contract.ts';

// What waits, and from when on it waits too long.

export interface TimerLane {
  kind: string;
  waiting: number;
  oldestSeconds: number;
}
export interface StreamLane {
  waiting: number;
  isMore: boolean;
  oldestSeconds: number | null;
  failures: number;
}
export interface EmailLane {
  waiting: number;
  isMore: boolean;
  oldestSeconds: number | null;
  failed: number;
}
export interface SweepRow {
  kind: string;
  lastHour: number;
  lastDay: number;
  lastAt: Date;
}

export const relayAlarmSeconds = 30;
const laneKinds: Record<string, { label: string; alarmSeconds: number; advice: AdviceName }> = {
  turn: { label: 'Chat turns', alarmSeconds: 60, advice: 'chats-late' },
  'action-run': { label: 'Action runs', alarmSeconds: 180, advice: 'actions-late' },
  webhook: { label: 'Webhook endpoints', alarmSeconds: 180, advice: 'webhooks-late' },
  'knowledge-sync': { label: 'Knowledge syncs', alarmSeconds: 300, advice: 'syncs-late' },
};

/** One lane for each kind of work; timers of any other kind share the last. */
export function judgeLanes(
  timers: { lanes: readonly TimerLane[]; isMore: boolean },
  streams: StreamLane,
  emails: EmailLane,
): Lane[] {
  const others = timers.lanes.filter(({ kind }) => !(kind in laneKinds));
  const oldest = (lanes: readonly TimerLane[]) =>
    lanes.length === 0 ? null : Math.max(...lanes.map(({ oldestSeconds }) => oldestSeconds));
  const ofKind = (kind: string) => timers.lanes.filter((lane) => lane.kind === kind);
  const lane = (name: string, label: string, alarmSeconds: number, what: AdviceName, seen: Seen): Lane => {
    const isLate = (seen.oldestSeconds ?? 0) > alarmSeconds;
    const rest = { verdict: isLate ? ('degraded' as const) : ('ok' as const), advice: isLate ? [advise(what)] : [] };
    return { name, label, alarmSeconds, ...seen, ...rest };
  };
  const seen = (lanes: readonly TimerLane[]): Seen => ({
    waiting: lanes.reduce((sum, { waiting }) => sum + waiting, 0),
    isMore: timers.isMore,
    oldestSeconds: oldest(lanes),
  });
  return [
    lane('events', 'Unpublished events', relayAlarmSeconds, 'relay-late', streams),
    ...Object.entries(laneKinds).map(([kind, { label, alarmSeconds, advice }]) =>
      lane(kind, label, alarmSeconds, advice, seen(ofKind(kind))),
    ),
    lane('emails', 'Emails', 600, 'emails-late', emails),
    lane('timers', 'Other timers', 600, 'timers-late', seen(others)),
  ];
}
type Seen = Pick<Lane, 'waiting' | 'isMore' | 'oldestSeconds'>;

const sweepLabels: Record<string, string> = {
  turn: 'Conversation turns',
  'action-run': 'Action runs',
  webhook: 'Webhook endpoints',
  'knowledge-sync': 'Knowledge syncs',
  'api-key-expiry': 'Expiring API keys',
  'tenant-erasure': 'Tenant erasures',
};
/** In words; a kind that is new here is shown as it is. */
export const kindInWords = (kind: string) => sweepLabels[kind] ?? kind;
