import { expect, test } from 'vitest';
import { aTenant, aUser, send } from '../../../test/harness.ts';

interface TeamResponse {
  team: { id: string; name: string; memberIds: string[] };
}
const reasonOf = (response: { body: string }) =>
  (JSON.parse(response.body) as { error: { reason: string } }).error.reason;

test('creates, changes, lists and deletes a team', async () => {
  const tenant = await aTenant();
  const agent = await aUser([{ tenantId: tenant.tenantId, roles: ['agent'] }]);
  const created = await tenant.post('/teams', { name: 'Billing', memberIds: [agent.userId] });
  expect(created.statusCode, created.body).toBe(201);
  const { team } = created.json<TeamResponse>();
  expect(team).toMatchObject({ name: 'Billing', memberIds: [agent.userId] });
  expect((await agent.get('/teams')).json()).toMatchObject({ data: [{ id: team.id }], nextCursor: null });
  const changed = await tenant.patch(`/teams/${team.id}`, { name: 'Invoices', memberIds: [] });
  expect(changed.json()).toMatchObject({ team: { name: 'Invoices', memberIds: [] } });
  expect((await send('DELETE', `/teams/${team.id}`, tenant.headers)).statusCode).toBe(200);
  expect((await tenant.get(`/teams/${team.id}`)).statusCode).toBe(404);
});

test('returns 409 for a name that is taken, and 404 for someone who is not a member', async () => {
  const [tenant, other] = [await aTenant(), await aTenant()];
  expect((await tenant.post('/teams', { name: 'Billing' })).statusCode).toBe(201);
  expect(reasonOf(await tenant.post('/teams', { name: 'Billing' }))).toBe('team_name_taken');
  const stranger = await tenant.post('/teams', { name: 'Strangers', memberIds: [other.userId] });
  expect([stranger.statusCode, reasonOf(stranger)]).toEqual([404, 'member_not_found']);
});

test('returns 409 team_in_use while the assignment settings name the team', async () => {
  const tenant = await aTenant();
  const { team } = (await tenant.post('/teams', { name: 'Billing' })).json<TeamResponse>();
  const settings = `/workspaces/${tenant.workspaceId}/assignment`;
  const manual = { mode: 'manual', maxOpen: 5, teamId: null, escalation: null };
  for (const used of [
    { teamId: team.id },
    { escalation: { afterMinutes: 5, to: { type: 'team', teamId: team.id } } },
  ]) {
    expect((await tenant.put(settings, { ...manual, ...used })).statusCode).toBe(200);
    const refused = await send('DELETE', `/teams/${team.id}`, tenant.headers);
    expect([refused.statusCode, reasonOf(refused)]).toEqual([409, 'team_in_use']);
  }
  expect((await tenant.put(settings, manual)).statusCode).toBe(200);
  expect((await send('DELETE', `/teams/${team.id}`, tenant.headers)).statusCode).toBe(200);
});

test('a removed member leaves their teams', async () => {
  const tenant = await aTenant();
  const agent = await aUser([{ tenantId: tenant.tenantId, roles: ['agent'] }]);
  const { team } = (await tenant.post('/teams', { name: 'Billing', memberIds: [agent.userId] })).json<TeamResponse>();
  expect((await send('DELETE', `/members/${agent.userId}`, tenant.headers)).statusCode).toBe(200);
  expect((await tenant.get(`/teams/${team.id}`)).json()).toMatchObject({ team: { memberIds: [] } });
});
