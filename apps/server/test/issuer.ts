import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** An OIDC issuer that signs tokens and serves its keys over HTTP. */
export async function startIssuer(pool: 'customer' | 'admin', overrides: Record<string, unknown> = {}) {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: `${pool}-1`, alg: 'RS256', use: 'sig' };
  let fetched = 0;
  const server = createServer((_request, response) => {
    fetched++;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [jwk] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = `http://${host}/pools/${pool}`;
  const audience = `parley-${pool}`;

  /** Valid for longer than the longest test at full size. */
  const sign = (claims: Record<string, unknown>, header: Record<string, unknown> = {}) =>
    new SignJWT({ iss: issuer, aud: audience, iat: now(), exp: now() + 3_600, ...claims })
      .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: jwk.kid, ...header })
      .sign(privateKey);

  return {
    host,
    issuer,
    privateKey,
    jwk,
    sign,
    fetched: () => fetched,
    config: {
      pool,
      issuer,
      jwksUrl: `http://${host}/jwks`,
      audience: [audience],
      tenantClaim: 'tenant_id',
      tenants: 'all',
      ...overrides,
    },
    close: () => server.close(),
  };
}
export type TestIssuer = Awaited<ReturnType<typeof startIssuer>>;

const now = () => Math.floor(Date.now() / 1_000);
