import { describe, expect, test } from 'vitest';
import { plans } from '../apps/server/src/features/entitlements/plans.ts';
import { rolePermissions } from '../apps/server/src/features/users/roles.ts';
import { Feature, Permission } from '../apps/server/src/platform/access.contract.ts';
import { toOrigin } from '../apps/portal/app/parts/origin.ts';
import { planWith, rolesWith, denialReason } from '../apps/portal/app/parts/rights.ts';
import { safeNext } from '../packages/portal-kit/src/ui/safe-next.ts';

// What the portal says about permissions and plans must match what the service enforces.

const allRoles = Object.keys(rolePermissions);
const holdersOf = (permission: Permission) =>
  Object.entries(rolePermissions).flatMap(([role, permissions]) => (permissions.has(permission) ? [`${role}s`] : []));

test.each(Permission.options)('%s: the portal names the roles that have it', (permission) => {
  const holders = holdersOf(permission);
  if (holders.length === allRoles.length) return;
  expect(
    rolesWith(permission)
      .split(/, or |, | or /)
      .sort(),
  ).toEqual(holders.sort());
});

test.each(Feature.options)('%s: the portal names the plans that have it', (feature) => {
  const having = Object.entries(plans).flatMap(([plan, set]) => (set[feature] > 0 ? [plan] : []));
  const text = planWith(feature).toLowerCase();
  if (having.includes('free')) return; // without it, the service refuses by name, not by plan
  for (const plan of Object.keys(plans))
    expect(text.includes(plan), `${feature} ${plan}: ${text}`).toBe(having.includes(plan));
});

test('gives no reason to someone with access, and names the missing role or plan otherwise', () => {
  const me = { permissions: ['webhook.manage'], entitlements: { live_webhooks: 0 } } as unknown as Parameters<
    typeof denialReason
  >[0];
  expect(denialReason(me, 'webhook.manage')).toBeUndefined();
  expect(denialReason(me, 'webhook.manage', 'live_webhooks')).toMatch(/Team/);
  expect(denialReason(me, 'api_key.manage')).toMatch(/owners, admins or developers/);
});

describe('URLs', () => {
  test.each([
    ['example.com', 'https://example.com'],
    ['https://Example.com/shop?x=1', 'https://example.com'],
    ['http://localhost:3000/', 'http://localhost:3000'],
    ['localhost:8080', 'http://localhost:8080'],
    ['  shop.example.com  ', 'https://shop.example.com'],
  ])('%j is the site %s', (typed, origin) => expect(toOrigin(typed)).toBe(origin));

  test.each(['//evil.example', '/\\evil.example', 'https://evil.example', '/.//evil.example', '', null])(
    '%j leads to the home page',
    (next) => expect(safeNext(next)).toBe('/'),
  );
  test('keeps an internal path with its query', () =>
    expect(safeNext('/bots?status=active')).toBe('/bots?status=active'));
});
