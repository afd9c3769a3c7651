import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import { sql } from 'kysely';
import { newId } from '../../src/platform/ids.ts';
import type { PoolName } from '../../src/platform/pool.ts';
import { admin, type Headers, type TestTenant } from '../harness.ts';
import { anAccount, anIp, sendFrom, withTotp } from '../identity/accounts-fixture.ts';

// Users of the built-in pools, signed in over HTTP.

export const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
const tableOf = (pool: PoolName, name: string) => sql.id(`${pool}_pool`, name);

interface Tokens {
  accessToken: string;
  refreshToken: string;
}
interface ErrorBody {
  error: { details?: { path: string; message: string }[] };
}

/** A user with a password, and an operator with two-factor authentication too. However long a test takes, they are freshly authenticated. */
export async function aSignedInPerson(pool: PoolName, tenant?: TestTenant, roles = ['owner']) {
  const account = await anAccount({ pool, ...(tenant && { tenant, roles }) });
  const { userId, email, password, tenantId } = account;
  const ip = anIp();
  const loginPath = pool === 'admin' ? '/admin/auth/login' : '/auth/login';
  const recoveryCodes = pool === 'admin' ? (await withTotp(account, pool)).recoveryCodes : [];
  let response = await sendFrom(ip, loginPath, { email, password });
  if (pool === 'admin') {
    const { details = [] } = response.json<ErrorBody>().error;
    const mfaToken = details.find(({ path }) => path === '/mfaToken')?.message;
    response = await sendFrom(ip, `${loginPath}/mfa`, { mfaToken, code: recoveryCodes[0] });
  }
  if (response.statusCode !== 200) throw new Error(`sign-in failed: ${response.body}`);
  const { accessToken, refreshToken } = response.json<Tokens>();
  const person = { pool, userId, email, password, tenantId, refreshToken, sid: String(decodeJwt(accessToken)['sid']) };
  await changeSession(person, sql`authenticated_at = now() + interval '1 hour'`);
  return { ...person, headers: bearer(accessToken) };
}
export type SignedInPerson = Awaited<ReturnType<typeof aSignedInPerson>>;

export const changeSession = ({ pool, sid }: Pick<SignedInPerson, 'pool' | 'sid'>, change: ReturnType<typeof sql>) =>
  sql`update ${tableOf(pool, 'sessions')} set ${change} where id = ${sid}`.execute(admin);

/** Another session and another passkey, which tests may delete. Returns their ids. */
export async function addOwnThings({ pool, userId, sid }: Omit<SignedInPerson, 'headers'>, name = 'Mine') {
  const [sessionId, passkeyId] = [newId('session'), newId('passkey')];
  const sessions = tableOf(pool, 'sessions');
  await sql`insert into ${sessions} (id, grant_hash, user_id, tenant_id, client_id, methods, authenticated_at, ip, user_agent, expires_at)
    select ${sessionId}, ${Buffer.from(randomUUID())}, user_id, tenant_id, client_id, methods, authenticated_at, ip, ${name}, expires_at
    from ${sessions} where id = ${sid}`.execute(admin);
  await sql`insert into ${tableOf(pool, 'passkeys')} (id, user_id, credential_id, public_key, counter, transports, name)
    values (${passkeyId}, ${userId}, ${randomUUID()}, ${Buffer.from('key')}, 0, '{internal}', ${name})`.execute(admin);
  return [sessionId, passkeyId];
}
