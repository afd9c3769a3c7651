import { z } from 'zod';
import type { TenantChange } from './tenants.operator.contract.ts';

/** The fields of an audit entry's data that are used here. Older entries have fewer. */
const EntryData = z.object({
  object: z.object({ name: z.string().optional(), plan: z.string().optional() }).optional(),
  overrides: z.record(z.string(), z.number()).optional(),
  previous: z
    .object({
      name: z.string().optional(),
      plan: z.string().optional(),
      overrides: z.record(z.string(), z.number()).optional(),
    })
    .optional(),
  reason: z.string().optional(),
});
type EntryData = z.infer<typeof EntryData>;
type Change = TenantChange['changes'][number];

const statusChange =
  (from: string | null, to: string): (() => Change[]) =>
  () => [{ name: 'status', from, to }];

/** The actions in a tenant's history, and what each one changed. */
const readers: Record<string, (data: EntryData) => Change[]> = {
  'tenant.created': ({ object }) => [{ name: 'plan', from: null, to: object?.plan ?? null }],
  'tenant.updated': ({ object, previous }) => [
    { name: 'name', from: previous?.name ?? null, to: object?.name ?? null },
  ],
  'tenant.suspended': statusChange('active', 'suspended'),
  'tenant.resumed': statusChange('suspended', 'active'),
  'tenant.deleted': statusChange(null, 'deleted'),
  'tenant.restored': statusChange('deleted', 'active'),
  'entitlements.changed': ({ object, overrides = {}, previous }) => {
    if (!previous) return [];
    const before = previous.overrides ?? {};
    const names = [...new Set([...Object.keys(before), ...Object.keys(overrides)])].toSorted();
    return [
      { name: 'plan', from: previous.plan ?? null, to: object?.plan ?? null },
      ...names.map((name) => ({ name, from: before[name] ?? null, to: overrides[name] ?? null })),
    ].filter(({ from, to }) => from !== to);
  },
};

export const historyActions = Object.keys(readers);
/** The actions that change a tenant's status. */
export const stateActions = ['tenant.suspended', 'tenant.resumed', 'tenant.deleted', 'tenant.restored'];

export function readChange(action: string, data: unknown): Pick<TenantChange, 'reason' | 'changes'> {
  const entry = EntryData.safeParse(data).data ?? {};
  return { reason: entry.reason ?? null, changes: readers[action]?.(entry) ?? [] };
}
