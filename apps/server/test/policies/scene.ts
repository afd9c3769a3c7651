import { anAccount, anIp, signIn } from '../identity/accounts-fixture.ts';
import { api, as, aTenant, aUser, type Headers, type Method, type Response, type TestTenant } from '../harness.ts';

export const outcome = (response: Response) => [
  response.statusCode,
  response.json<{ error?: { reason: string } }>().error?.reason,
];

export const sendFrom = (remoteAddress: string, method: Method, url: string, headers: Headers, body?: object) =>
  api.app.inject({ method, url, headers, remoteAddress, ...(body && { payload: body }) });

/** A tenant and an owner whose identity provider reports two-factor authentication. */
export async function aTenantWithOwner() {
  const tenant = await aTenant();
  const owner = await aUser([{ tenantId: tenant.tenantId, roles: ['owner'] }], { amr: ['pwd', 'mfa'] });
  const setPolicies = async (change: object) => {
    const response = await owner.patch('/tenant/policies', change);
    if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${response.body}`);
    return response;
  };
  return { tenant, owner, setPolicies };
}

/** A member with a built-in account, signed in with a password only. */
export async function aMember(tenant: TestTenant, roles = ['agent']) {
  const account = await anAccount({ tenant, roles });
  const response = await signIn(api.app, account.email, account.password, anIp());
  const { accessToken, refreshToken } = response.json<{ accessToken: string; refreshToken: string }>();
  return { ...account, refreshToken, ...as({ authorization: `Bearer ${accessToken}` }) };
}
