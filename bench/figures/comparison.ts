import { result, type Goal, type Result } from './result.ts';
import { takeTurns } from './stats.ts';

/** What Parley does, and the minimum for the same work. Each call of `ours` and `peer` measures once. */
export interface Comparison {
  name: string;
  unit: string;
  peerName: string;
  goal?: Goal;
  ours(): Promise<number>;
  peer(): Promise<number>;
}

export async function compare({ ours, peer, ...comparison }: Comparison, rounds: number): Promise<Result> {
  const { name, unit, peerName, goal } = comparison;
  const turns = await takeTurns(rounds, { peer, ours });
  return result({
    name,
    value: turns.median('ours'),
    unit,
    peer: { name: peerName, value: turns.median('peer') },
    ratio: turns.ratio('ours', 'peer'),
    ...(goal && { goal }),
    rounds,
  });
}
