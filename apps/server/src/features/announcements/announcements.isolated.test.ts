import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { admin, anOperator, aTenant, send } from '../../../test/harness.ts';
import type { Announcement, OperatorAnnouncement } from './announcements.contract.ts';

const operator = await anOperator();
const announce = async (more: object = {}) => {
  const response = await operator.post('/admin/announcements', { title: 'Hello', text: 'All', kind: 'info', ...more });
  expect(response.statusCode, response.body).toBe(201);
  return response.json<{ announcement: OperatorAnnouncement }>().announcement;
};
const visibleIds = async (tenant: { get: typeof operator.get }) =>
  (await tenant.get('/announcements')).json<{ data: Announcement[] }>().data.map(({ id }) => id);
// They are shown to all tenants, so those of other test files are too.
beforeEach(() => sql`delete from deployment.announcements`.execute(admin));
const later = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

test('shows an announcement to all tenants until it is ended', async () => {
  const tenant = await aTenant();
  expect(await visibleIds(tenant)).toEqual([]);
  const { id, state } = await announce();
  expect(state).toBe('shown');
  const [shown] = (await tenant.get('/announcements')).json<{ data: Announcement[] }>().data;
  expect(shown).toEqual({ id, title: 'Hello', text: 'All', kind: 'info', startsAt: expect.any(String), endsAt: null });
  const ended = await operator.post(`/admin/announcements/${id}/end`);
  expect(ended.json()).toMatchObject({ announcement: { id, state: 'ended' } });
  expect(await visibleIds(tenant)).toEqual([]);
});

test('shows an announcement only to its plan, and not before its start', async () => {
  const [team, free] = [await aTenant({ plan: 'team' }), await aTenant({ plan: 'free' })];
  const forTeam = await announce({ plan: 'team' });
  const planned = await announce({ startsAt: later(1), endsAt: later(2) });
  expect(planned.state).toBe('planned');
  expect(await visibleIds(team)).toEqual([forTeam.id]);
  expect(await visibleIds(free)).toEqual([]);
  await send('DELETE', `/admin/announcements/${forTeam.id}`, operator.headers);
  expect(await visibleIds(team)).toEqual([]);
});

test('changes only the given fields, with immediate effect', async () => {
  const tenant = await aTenant();
  const { id } = await announce({ kind: 'maintenance', endsAt: later(3) });
  const changed = await operator.patch(`/admin/announcements/${id}`, { title: 'Sooner' });
  expect(changed.json()).toMatchObject({ announcement: { title: 'Sooner', text: 'All', kind: 'maintenance' } });
  const { data } = (await tenant.get('/announcements')).json<{ data: Announcement[] }>();
  expect(data).toMatchObject([{ id, title: 'Sooner', endsAt: expect.any(String) }]);
});

test('returns 400 ends_before_start, and 404 for an unknown announcement', async () => {
  const body = { title: 'X', kind: 'info', startsAt: later(2), endsAt: later(1) };
  expect((await operator.post('/admin/announcements', body)).json()).toMatchObject({
    error: { reason: 'ends_before_start' },
  });
  const nowhere = '/admin/announcements/ann_01arz3ndektsv4rrffq69g5fav';
  expect((await operator.patch(nowhere, { title: 'X' })).statusCode).toBe(404);
  expect((await operator.post(`${nowhere}/end`)).statusCode).toBe(404);
});

test('returns 403 to support, and writes each change to the audit log', async () => {
  const support = await anOperator('support');
  expect((await support.get('/admin/announcements')).statusCode).toBe(200);
  expect((await support.post('/admin/announcements', { title: 'X', kind: 'info' })).statusCode).toBe(403);
  const { id } = await announce({ title: 'Noted' });
  await operator.post(`/admin/announcements/${id}/end`);
  const { data } = (await operator.get('/admin/audit-log?limit=2')).json<{ data: object[] }>();
  expect(data).toMatchObject([
    { action: 'announcement.ended', actor: { id: operator.userId }, data: { id, title: 'Noted' } },
    { action: 'announcement.created', actor: { id: operator.userId }, data: { id } },
  ]);
});
