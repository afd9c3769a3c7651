import { z } from 'zod';
import type { TenantChange } from './tenants.operator.contract.ts';

/** What an audit entry about a tenant as a whole says, as far as it is read here. Older entries say less. */
const Told = z.object({
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
type Told = z.infer<typeof Told>;
type Change = TenantChange['changes'][number];

const status =
  (from: string | null, to: string): (() => Change[]) =>
  () => [{ name: 'status', from, to }];

/** Each action that the history of a tenant is made of, and what changed with it. */
const readers: Record<string, (told: Told) => Change[]> = {
  'tenant.created': ({ object }) => [{ name: 'plan', from: null, to: object?.plan ?? null }],
  'tenant.updated': ({ object, previous }) => [
    { name: 'name', from: previous?.name ?? null, to: object?.name ?? null },
  ],
  'tenant.suspended': status('active', 'suspended'),
  'tenant.resumed': status('suspended', 'active'),
  'tenant.deleted': status(null, 'deleted'),
  'tenant.restored': status('deleted', 'active'),
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
/** Those after which a tenant has its status. */
export const stateActions = ['tenant.suspended', 'tenant.resumed', 'tenant.deleted', 'tenant.restored'];

/** From an entry's data, which may be of any age. */
export function readChange(action: string, data: unknown): Pick<TenantChange, 'reason' | 'changes'> {
  const told = Told.safeParse(data).data ?? {};
  return { reason: told.reason ?? null, changes: readers[action]?.(told) ?? [] };
}
