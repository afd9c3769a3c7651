import { expect, test } from 'vitest';
import { aTenant, aUser, type TestTenant } from '../../../test/harness.ts';
import { newId } from '../../platform/ids.ts';

const hours = {
  timeZone: 'Europe/Berlin',
  weekly: [{ day: 'monday', opens: '09:00', closes: '17:00' }],
  holidays: ['2026-12-25'],
  awayMessage: 'We are back on Monday.',
  replyMinutes: 10,
};
const at = ({ workspaceId }: TestTenant) => `/workspaces/${workspaceId}/business-hours`;

test('returns what was set; until then, always open', async () => {
  const tenant = await aTenant();
  const none = { timeZone: 'UTC', weekly: null, holidays: [], awayMessage: '', replyMinutes: null };
  expect((await tenant.get(at(tenant))).json()).toEqual({ businessHours: none });
  const changed = await tenant.put(at(tenant), hours);
  expect([changed.statusCode, changed.json()]).toEqual([200, { businessHours: hours }]);
  expect((await tenant.get(at(tenant))).json()).toEqual({ businessHours: hours });
  expect((await tenant.put(at(tenant), none)).statusCode).toBe(200);
  expect((await tenant.get(at(tenant))).json()).toEqual({ businessHours: none });
});

test.each([
  ['a time zone that does not exist', { timeZone: 'Europe/Atlantis' }],
  ['an offset instead of a time zone', { timeZone: '+01:00' }],
  ['no hours in a week', { weekly: [] }],
  ['a time of 24:00', { weekly: [{ day: 'monday', opens: '09:00', closes: '24:00' }] }],
  ['a holiday that is not a date', { holidays: ['2026-02-30'] }],
  ['a reply time of zero', { replyMinutes: 0 }],
])('returns 400 for %s', async (_what, wrong) => {
  const tenant = await aTenant();
  expect((await tenant.put(at(tenant), { ...hours, ...wrong })).statusCode).toBe(400);
});

test('returns 404 for another tenant’s workspace and 403 to agents who change it', async () => {
  const [tenant, other] = [await aTenant(), await aTenant()];
  for (const workspace of [other, { ...other, workspaceId: newId('workspace') }]) {
    expect((await tenant.get(at(workspace))).statusCode).toBe(404);
    expect((await tenant.put(at(workspace), hours)).statusCode).toBe(404);
  }
  const agent = await aUser([{ tenantId: tenant.tenantId, roles: ['agent'] }]);
  expect((await agent.get(at(tenant))).statusCode).toBe(200);
  expect((await agent.put(at(tenant), hours)).statusCode).toBe(403);
});
