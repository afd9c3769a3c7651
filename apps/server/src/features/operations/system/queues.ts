import { advise, type AdviceName } from './advice.ts';
import type { Queue } from './system.contract.ts';

// The queues, and the age at which each one is late.

export interface TimerQueue {
  kind: string;
  waiting: number;
  oldestSeconds: number;
}
export interface StreamQueue {
  waiting: number;
  isMore: boolean;
  oldestSeconds: number | null;
  failures: number;
}
export interface EmailQueue {
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
const queueKinds: Record<string, { label: string; alarmSeconds: number; advice: AdviceName }> = {
  turn: { label: 'Chat turns', alarmSeconds: 60, advice: 'chats-late' },
  'action-run': { label: 'Action runs', alarmSeconds: 180, advice: 'actions-late' },
  webhook: { label: 'Webhook lanes without a worker', alarmSeconds: 30, advice: 'webhooks-late' },
  'knowledge-sync': { label: 'Knowledge syncs', alarmSeconds: 300, advice: 'syncs-late' },
};

/** One queue for each kind of work. Timers of other kinds share the last one. */
export function evaluateQueues(
  timers: { queues: readonly TimerQueue[]; isMore: boolean },
  streams: StreamQueue,
  emails: EmailQueue,
): Queue[] {
  const others = timers.queues.filter(({ kind }) => !(kind in queueKinds));
  const oldest = (queues: readonly TimerQueue[]) =>
    queues.length === 0 ? null : Math.max(...queues.map(({ oldestSeconds }) => oldestSeconds));
  const ofKind = (kind: string) => timers.queues.filter((queue) => queue.kind === kind);
  const queue = (name: string, label: string, alarmSeconds: number, adviceName: AdviceName, size: QueueSize): Queue => {
    const isLate = (size.oldestSeconds ?? 0) > alarmSeconds;
    const rest = {
      verdict: isLate ? ('degraded' as const) : ('ok' as const),
      advice: isLate ? [advise(adviceName)] : [],
    };
    return { name, label, alarmSeconds, ...size, ...rest };
  };
  const sizeOf = (queues: readonly TimerQueue[]): QueueSize => ({
    waiting: queues.reduce((sum, { waiting }) => sum + waiting, 0),
    isMore: timers.isMore,
    oldestSeconds: oldest(queues),
  });
  return [
    queue('events', 'Unpublished events', relayAlarmSeconds, 'relay-late', streams),
    ...Object.entries(queueKinds).map(([kind, { label, alarmSeconds, advice }]) =>
      queue(kind, label, alarmSeconds, advice, sizeOf(ofKind(kind))),
    ),
    queue('emails', 'Emails', 600, 'emails-late', emails),
    queue('timers', 'Other timers', 600, 'timers-late', sizeOf(others)),
  ];
}
type QueueSize = Pick<Queue, 'waiting' | 'isMore' | 'oldestSeconds'>;

const sweepLabels: Record<string, string> = {
  turn: 'Conversation turns',
  'action-run': 'Action runs',
  webhook: 'Webhook endpoints',
  'knowledge-sync': 'Knowledge syncs',
  'api-key-expiry': 'Expiring API keys',
  'tenant-erasure': 'Tenant erasures',
};
/** Kinds without a label are shown as they are. */
export const timerLabel = (kind: string) => sweepLabels[kind] ?? kind;
