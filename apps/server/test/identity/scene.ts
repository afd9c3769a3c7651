import { createPrivateKey, createPublicKey, generateKeyPairSync, KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { generate } from 'selfsigned';
import { audienceOf, issuerOf } from '../../src/features/pools/tokens.ts';
import { ensureSigningKeys } from '../../src/features/pools/signing-keys.store.ts';
import type { PoolName } from '../../src/platform/pool.ts';
import { admin, aKey, aTenant, customers, services, openApi, operators, send } from '../harness.ts';
import { decode, signerOf, type Claims, type Signer } from './jws.ts';
import { adminPath, aPerson, clientsOf, signIn, signInByCode, type SignInResult } from './people.ts';

/** A pool with a valid token, its parts and its signing key. */
export interface Target {
  pool: PoolName;
  issuer: string;
  audience: string;
  kid: string;
  privateKey: KeyObject;
  publicKey: KeyObject;
  /** RS256, with the pool's own key. */
  sign: Signer;
  token: string;
  header: Claims;
  claims: Claims;
  signedIn: SignInResult;
}

/** Everything needed to build hostile tokens. */
export interface Scene extends Target {
  other: Target;
  attacker: Attacker;
  /** In the same tenant. */
  colleague: SignInResult;
  ended: SignInResult;
  /** A session whose `expires_at` has passed. */
  overdueSid: string;
  disabled: SignInResult;
  revoked: SignInResult;
  /** An external issuer that is trusted as well. */
  external: { issuer: string; audience: string; kid: string; sign: Signer };
  /** Tokens issued by the pool that are not access tokens. */
  otherTokens: Record<string, string>;
  apiKey: { id: string; secret: string };
}

/** A bearer token, or complete headers. */
type NamedCredential = [name: string, credential: string | Record<string, string>];
export type Family = (scene: Scene) => Iterable<NamedCredential> | Promise<Iterable<NamedCredential>>;

/** The attacker's keys, a certificate, and a server that publishes the keys under our key ids. */
export async function anAttacker() {
  const own = await generate([{ name: 'commonName', value: 'attacker.example' }], {
    keySize: 2048,
    algorithm: 'sha256',
  });
  const rsa = createPrivateKey(own.private);
  const jwk: Claims = {
    ...createPublicKey(rsa).export({ format: 'jwk' }),
    kid: 'attacker-1',
    alg: 'RS256',
    use: 'sig',
  };
  const requests: string[] = [];
  const kids = ['attacker-1'];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ keys: kids.map((kid) => ({ ...jwk, kid })) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    rsa,
    ec: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
    ed: generateKeyPairSync('ed25519').privateKey,
    jwk,
    certificate: own.cert.replaceAll(/-----[^-]+-----|\s/g, ''),
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`,
    /** URLs of the requests it received. */
    requests,
    addKid: (kid: string) => void kids.push(kid),
    close: () => server.close(),
  };
}
export type Attacker = Awaited<ReturnType<typeof anAttacker>>;

async function aTarget(pool: PoolName, tenantId: string) {
  const person = await aPerson(pool, tenantId);
  const signedIn = await signIn(person);
  const [key] = await ensureSigningKeys(services, pool, 90);
  if (!key) throw new Error('a pool without a key');
  const privateKey = createPrivateKey({ key: key.privateJwk, format: 'jwk' });
  const token = signedIn.accessToken;
  const [header, claims] = token.split('.').slice(0, 2).map(decode) as [Claims, Claims];
  const target: Target = {
    pool,
    issuer: issuerOf('http://127.0.0.1:3000', pool),
    audience: audienceOf(pool),
    kid: key.kid,
    privateKey,
    publicKey: createPublicKey(privateKey),
    sign: signerOf('RS256', privateKey),
    token,
    header,
    claims,
    signedIn,
  };
  return { target, person };
}

/** Both pools with their people and tokens. */
export async function makeScenes(attacker: Attacker): Promise<Record<PoolName, Scene> & { tenantId: string }> {
  const tenant = await aTenant();
  const { tenantId } = tenant;
  const apiKey = await aKey(tenant);
  const targets = { customer: await aTarget('customer', tenantId), admin: await aTarget('admin', tenantId) };
  for (const { target } of Object.values(targets)) attacker.addKid(target.kid);
  // A client whose id is the pool's audience, so that its ID tokens have the correct audience.
  const clientIds = ['portal', ...Object.values(targets).map(({ target }) => target.audience)];
  const portals = await openApi({ OIDC_CLIENTS: clientsOf(clientIds) });

  const sceneOf = async (pool: PoolName): Promise<Scene> => {
    const { target, person } = targets[pool];
    const { target: other } = targets[pool === 'customer' ? 'admin' : 'customer'];
    const signInNewPerson = async () => signIn(await aPerson(pool, tenantId));
    const [colleague, ended, overdue] = [await signInNewPerson(), await signIn(person), await signIn(person)];
    const [disabled, revoked] = [await signInNewPerson(), await signInNewPerson()];
    await send('POST', adminPath(pool, '/auth/logout'), {}, { refreshToken: ended.refreshToken });
    const sessions = sql.id(`${pool}_pool`, 'sessions');
    await sql`update ${sessions} set expires_at = now() - interval '1 s' where id = ${overdue.sid}`.execute(admin);
    await sql`update directory.users set disabled_at = now() where user_id = ${disabled.userId}`.execute(admin);
    await sql`update directory.users set tokens_valid_after = now() + interval '2 s'
      where user_id = ${revoked.userId}`.execute(admin);

    const otherTokens: Record<string, string> = { 'a refresh token': target.signedIn.refreshToken };
    otherTokens['a refresh token in three parts'] = [1, 2, 3].map(() => target.signedIn.refreshToken).join('.');
    for (const clientId of ['portal', target.audience]) {
      const { code, exchange } = await signInByCode(portals.app, target.issuer, clientId, person);
      otherTokens[`a code for ${clientId}`] = code;
      otherTokens[`an ID token for ${clientId}`] = (await exchange()).idToken;
    }
    const trusted = pool === 'customer' ? customers : operators;
    const external = {
      issuer: trusted.issuer,
      audience: `parley-${pool}`,
      kid: trusted.jwk.kid,
      sign: signerOf('RS256', KeyObject.from(trusted.privateKey)),
    };
    const { id, secret } = apiKey;
    return {
      ...target,
      other,
      attacker,
      colleague,
      ended,
      overdueSid: overdue.sid,
      disabled,
      revoked,
      external,
      otherTokens,
      apiKey: { id, secret },
    };
  };
  const scenes = { customer: await sceneOf('customer'), admin: await sceneOf('admin'), tenantId };
  await portals.close();
  return scenes;
}
