import type { Schemas } from '@parley/portal-kit/service';

export type Announcement = Schemas['OperatorAnnouncement'];
export type Kind = Announcement['kind'];

export const kinds: { value: Kind; label: string }[] = [
  { value: 'info', label: 'News' },
  { value: 'maintenance', label: 'Maintenance' },
  { value: 'warning', label: 'Warning' },
  { value: 'incident', label: 'Incident (can’t be dismissed)' },
];
export const kindLabel = (kind: Kind) =>
  (kinds.find(({ value }) => value === kind)?.label ?? kind).replace(/ \(.*/, '');
export const plans = [
  { value: '', label: 'All tenants' },
  { value: 'free', label: 'Free plan' },
  { value: 'team', label: 'Team plan' },
  { value: 'enterprise', label: 'Enterprise plan' },
];
export const planLabel = (plan: string | null) => plans.find(({ value }) => value === (plan ?? ''))?.label ?? plan;
