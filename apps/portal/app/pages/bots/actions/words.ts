import type { Schemas } from '@parley/portal-kit/service';

export type Action = Schemas['Action'];

interface Choice<T extends string> {
  value: T;
  label: string;
  about: string;
}

export const risks: Choice<Action['risk']>[] = [
  { value: 'read', label: 'Reads', about: 'Looks something up. Nothing changes in your system.' },
  { value: 'write', label: 'Writes', about: 'Changes something. The visitor agrees to exactly that first.' },
];

export const effects: Choice<Action['effect']>[] = [
  {
    value: 'idempotent',
    label: 'Send it again',
    about: 'Your system knows the Idempotency-Key and does the same thing only once.',
  },
  {
    value: 'reconcile',
    label: 'Ask first',
    about: 'Your system answers “action.status”. Only what it never got is sent again.',
  },
  {
    value: 'at_most_once',
    label: 'Never again',
    about: 'It is sent once. Without a clear answer it stays unknown until somebody looks.',
  },
];

export const confirms: Choice<Action['confirm']>[] = [
  { value: 'writes', label: 'Before it writes', about: 'What only reads is done at once.' },
  { value: 'always', label: 'Always', about: 'Also before it reads.' },
  { value: 'never', label: 'Never', about: 'Only for what reads, and for a workflow whose steps ask.' },
];

export const riskOf = (risk: Action['risk']) => risks.find(({ value }) => value === risk)?.label ?? risk;
export const effectOf = (effect: Action['effect']) => effects.find(({ value }) => value === effect)?.label ?? effect;
