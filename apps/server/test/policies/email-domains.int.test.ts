import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { writeInvitationToken } from '../../src/features/members/index.ts';
import { admin, anOperator, aTenant, as, customers, inside, send } from '../harness.ts';
import { aPerson, signIn } from '../identity/people.ts';
import { rightPassword } from '../identity/accounts-fixture.ts';
import { aTenantWithOwner, outcome } from './scene.ts';

const notAllowed = [403, 'email_domain_not_allowed'];
const anEmail = (domain: string) => `${randomUUID()}@${domain}`;

async function aScene() {
  const scene = await aTenantWithOwner();
  const { owner, tenant } = scene;
  const invite = (email: string) => owner.post('/invitations', { email, roles: ['viewer'] });
  const inviteWithToken = async (email: string) => {
    const { id } = (await invite(email)).json<{ invitation: { id: string } }>().invitation;
    const written = await inside(tenant.tenantId, (ctx) => writeInvitationToken(ctx, id));
    return { id, token: written?.token ?? '' };
  };
  const members = async () =>
    (await admin.selectFrom('memberships').select('userId').where('tenantId', '=', tenant.tenantId).execute()).length;
  return { ...scene, invite, inviteWithToken, members };
}

test('returns 403 email_domain_not_allowed for an invitation or resend to another domain or a subdomain', async () => {
  const { owner, invite, inviteWithToken, setPolicies } = await aScene();
  const before = await inviteWithToken(anEmail('acme.example'));
  await setPolicies({ allowedEmailDomains: ['Example.com', 'bücher.example'] });
  for (const domain of ['acme.example', 'eu.example.com', 'example.com.evil.example', 'notexample.com'])
    expect(outcome(await invite(anEmail(domain))), domain).toEqual(notAllowed);
  expect(outcome(await owner.post(`/invitations/${before.id}/resend`))).toEqual(notAllowed);
  for (const domain of ['example.com', 'EXAMPLE.com', 'xn--bcher-kva.example'])
    expect((await invite(anEmail(domain))).statusCode, domain).toBe(201);
});

test('returns 403 email_domain_not_allowed when an invitation from before the policy is accepted', async () => {
  const { tenant, inviteWithToken, setPolicies, members } = await aScene();
  const person = await aPerson('customer', (await aTenant()).tenantId);
  const stranger = await inviteWithToken(anEmail('acme.example'));
  const known = await inviteWithToken(person.email);
  await setPolicies({ allowedEmailDomains: ['corp.example'] });
  const before = await members();
  const form = { token: stranger.token, name: 'Ada', password: rightPassword };
  expect(outcome(await send('POST', '/auth/invitations/accept', {}, form))).toEqual(notAllowed);
  const headers = { authorization: `Bearer ${(await signIn(person)).accessToken}` };
  const join = () => send('POST', '/auth/invitations/join', headers, { token: known.token });
  expect(outcome(await join())).toEqual(notAllowed);
  expect(await members()).toBe(before);
  await setPolicies({ allowedEmailDomains: [] });
  expect((await join()).json()).toMatchObject({ tenantId: tenant.tenantId });
});

test('returns 403 email_domain_not_allowed for a user of an external issuer who was invited before the policy', async () => {
  const { tenant, inviteWithToken, setPolicies, members } = await aScene();
  const email = anEmail('acme.example');
  await inviteWithToken(email);
  await setPolicies({ allowedEmailDomains: ['corp.example'] });
  const before = await members();
  const token = await customers.sign({ sub: randomUUID(), email, email_verified: true, name: 'Ada' });
  const ada = as({ authorization: `Bearer ${token}` });
  expect(outcome(await ada.get('/me'))).toEqual(notAllowed);
  expect(outcome(await ada.get('/me'))).toEqual(notAllowed);
  expect(await members()).toBe(before);
  await setPolicies({ allowedEmailDomains: ['corp.example', 'acme.example'] });
  const joined = async () => expect((await ada.get('/me')).json()).toMatchObject({ tenantId: tenant.tenantId });
  await vi.waitFor(joined, { timeout: 5_000, interval: 200 });
});

test('keeps the access of members from other domains and counts them', async () => {
  const { tenant, owner, setPolicies } = await aScene();
  const { tenantId } = tenant;
  const changed = await setPolicies({ allowedEmailDomains: ['corp.example'] });
  expect(changed.json()).toMatchObject({ membersOutsideDomains: 2 });
  expect((await tenant.get('/bots')).statusCode).toBe(200);
  await aPerson('customer', tenantId, ['viewer']);
  expect((await owner.get('/tenant/policies')).json()).toMatchObject({ membersOutsideDomains: 3 });
  expect((await setPolicies({ allowedEmailDomains: ['example.com'] })).json()).toMatchObject({
    membersOutsideDomains: 0,
  });
});

test('returns 403 email_domain_not_allowed when an operator invites an owner from another domain', async () => {
  const { tenant, owner, setPolicies } = await aScene();
  await setPolicies({ allowedEmailDomains: ['corp.example'] });
  await admin
    .updateTable('memberships')
    .set({ roles: ['viewer'] })
    .where('tenantId', '=', tenant.tenantId)
    .execute();
  const operator = await anOperator();
  const invite = (email: string) => operator.post(`/admin/tenants/${tenant.tenantId}/owner-invitation`, { email });
  expect(outcome(await invite(anEmail('acme.example')))).toEqual(notAllowed);
  expect((await invite(anEmail('corp.example'))).statusCode, owner.userId).toBe(201);
});

test.each([
  'co.uk',
  'github.io',
  'com',
  'localhost',
  '@example.com',
  'https://example.com',
  'exam ple.com',
  '10.0.0.1',
  '',
])('returns 400 with the path of the invalid domain %j', async (domain) => {
  const { owner } = await aTenantWithOwner();
  const response = await owner.patch('/tenant/policies', { allowedEmailDomains: ['example.com', domain] });
  expect(response.statusCode).toBe(400);
  expect(response.body).toContain('allowedEmailDomains/1');
});
