// What a run looks like over time. A rate is a multiple of the size, at a share of the duration.

export interface Phase {
  name: string;
  /** Share of the duration at which it starts. */
  from: number;
  /** The load relative to the size, at a share of the whole duration. */
  rateAt(share: number): number;
  /** `overload`: requests may be refused, if the refusal says when to try again. `recovery`: nothing is judged. */
  goal: 'slo' | 'overload' | 'recovery';
}

export interface Profile {
  minutes: number;
  phases: readonly Phase[];
}

const constant = (rate: number) => () => rate;

/** Time from the end of an overload until objectives have to hold again. */
export const recoverySeconds = 30;

const steady = (minutes: number): Profile => ({
  minutes,
  phases: [{ name: 'steady', from: 0, rateAt: constant(1), goal: 'slo' }],
});

/** At twice the size for a fifth of the time. */
function spike(minutes: number): Profile {
  const recovery = Math.min(0.1, recoverySeconds / 60 / minutes);
  return {
    minutes,
    phases: [
      { name: 'before', from: 0, rateAt: constant(1), goal: 'slo' },
      { name: 'spike', from: 0.4, rateAt: constant(2), goal: 'overload' },
      { name: 'recovery', from: 0.6, rateAt: constant(1), goal: 'recovery' },
      { name: 'after', from: 0.6 + recovery, rateAt: constant(1), goal: 'slo' },
    ],
  };
}

/** A day in short: from a quarter of the size at night to all of it at noon and back. */
const peak = (minutes: number): Profile => ({
  minutes,
  phases: [{ name: 'day', from: 0, rateAt: (share) => 0.25 + 0.75 * Math.sin(Math.PI * share), goal: 'slo' }],
});

const profiles = {
  steady: { create: steady, minutes: 5 },
  peak: { create: peak, minutes: 10 },
  spike: { create: spike, minutes: 5 },
  soak: { create: steady, minutes: 240 },
};
export type ProfileName = keyof typeof profiles;
export const profileNames = Object.keys(profiles) as ProfileName[];

export const profileOf = (name: ProfileName, minutes?: number): Profile =>
  profiles[name].create(minutes ?? profiles[name].minutes);

/** The phase at a share of the duration, which may be past its end. */
export function phaseAt({ phases }: Profile, share: number): Phase {
  const phase = phases.findLast(({ from }) => from <= share) ?? phases[0];
  if (!phase) throw new Error('a profile has at least one phase');
  return phase;
}
