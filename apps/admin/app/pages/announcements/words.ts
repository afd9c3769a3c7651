import type { Schemas } from '@parley/portal-kit/service';

export type Announcement = Schemas['OperatorAnnouncement'];
export type Kind = Announcement['kind'];

export const kinds: { value: Kind; label: string }[] = [
  { value: 'info', label: 'News' },
  { value: 'maintenance', label: 'Maintenance' },
  { value: 'warning', label: 'Warning' },
  { value: 'incident', label: 'Incident: cannot be put away' },
];
export const kindWord = (kind: Kind) => (kinds.find(({ value }) => value === kind)?.label ?? kind).replace(/:.*/, '');
export const plans = [
  { value: '', label: 'All tenants' },
  { value: 'free', label: 'Plan free' },
  { value: 'team', label: 'Plan team' },
  { value: 'enterprise', label: 'Plan enterprise' },
];
export const planWord = (plan: string | null) => plans.find(({ value }) => value === (plan ?? ''))?.label ?? plan;
