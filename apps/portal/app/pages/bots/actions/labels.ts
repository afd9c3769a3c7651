import type { Schemas } from '@parley/portal-kit/service';

export type Action = Schemas['Action'];

interface Choice<T extends string> {
  value: T;
  label: string;
  description: string;
}

export const risks: Choice<Action['risk']>[] = [
  { value: 'read', label: 'Read', description: 'Looks something up. Nothing changes in your system.' },
  { value: 'write', label: 'Write', description: 'Changes something. The visitor confirms the exact change first.' },
];

export const effects: Choice<Action['effect']>[] = [
  {
    value: 'idempotent',
    label: 'Retry',
    description: 'Your system recognises the Idempotency-Key and does the same thing only once.',
  },
  {
    value: 'reconcile',
    label: 'Check, then retry',
    description: 'Your system answers “action.status”. Only calls it never received are sent again.',
  },
  {
    value: 'at_most_once',
    label: 'Don’t retry',
    description: 'Sent once. Without a clear response, the run stays unknown until someone on your team checks.',
  },
];

export const confirms: Choice<Action['confirm']>[] = [
  { value: 'writes', label: 'Before writes', description: 'Read actions run without asking.' },
  { value: 'always', label: 'Always', description: 'Before reads too.' },
  { value: 'never', label: 'Never', description: 'Only for read actions, and for workflows whose steps ask.' },
];

export const riskOf = (risk: Action['risk']) => risks.find(({ value }) => value === risk)?.label ?? risk;
export const effectOf = (effect: Action['effect']) => effects.find(({ value }) => value === effect)?.label ?? effect;
