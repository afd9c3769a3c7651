import { LRUCache } from 'lru-cache';
import { createHistogram } from '../../../platform/metrics/histogram.ts';

type Mode = 'extractive' | 'model' | 'fallback';
interface AcceptedTurn {
  id: string;
  /** When the visitor's message was accepted. */
  createdAt: Date;
}

const firstTokens = createHistogram({
  name: 'parley_turn_first_token_seconds',
  help: 'Time from accepting a visitor’s message to the first text of its reply.',
  labelNames: ['mode'],
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 1.5, 2, 3, 4, 6, 10, 30],
});
const durations = createHistogram({
  name: 'parley_turn_duration_seconds',
  help: 'Time from accepting a visitor’s message to its complete reply.',
  labelNames: ['mode', 'outcome'],
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 30, 60, 120],
});

/** Turns whose reply has started: a model may be called several times for one. */
const started = new LRUCache<string, true>({ max: 10_000 });

const secondsOf = ({ createdAt }: AcceptedTurn) => Math.max(0, Date.now() - createdAt.getTime()) / 1_000;

/** The visitor sees the first text. */
export function turnStarted(turn: AcceptedTurn, mode: Mode): void {
  if (started.has(turn.id)) return;
  started.set(turn.id, true);
  firstTokens.with({ mode }).observe(secondsOf(turn));
}

/** The reply is in the log. What was not streamed appears all together. */
export function turnEnded(turn: AcceptedTurn, mode: Mode, outcome: 'answered' | 'stopped'): void {
  if (outcome === 'answered') turnStarted(turn, mode);
  started.delete(turn.id);
  durations.with({ mode, outcome }).observe(secondsOf(turn));
}
