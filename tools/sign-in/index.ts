// An OpenID Connect client like any third-party portal: authorization code with PKCE, and no Parley packages.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import * as oidc from 'openid-client';

type PoolName = 'customer' | 'admin';
export const clientId = 'sign-in-example';

/** This client's registration in the service. */
export const clientsAt = (url: string, clientSecret: string) =>
  (['customer', 'admin'] as const).map((pool) => ({
    pool,
    clientId,
    clientSecret,
    redirectUris: [`${url}/callback/${pool}`],
    postLogoutRedirectUris: [`${url}/`],
    backchannelLogoutUri: `${url}/signed-out/${pool}`,
  }));

/** A completed sign-in. */
export interface Arrival {
  pool: PoolName;
  accessToken: string;
  refreshToken: string;
  idToken: string;
  claims: oidc.IDToken | undefined;
}

interface SignInExampleOptions {
  port: number;
  apiUrl: string;
  clientSecret: string;
}

export async function startSignInExample({ port, apiUrl, clientSecret }: SignInExampleOptions) {
  const url = `http://localhost:${port}`;
  const discovered = new Map<PoolName, Promise<oidc.Configuration>>();
  const discover = (pool: PoolName) => {
    const known = discovered.get(pool);
    if (known) return known;
    const issuer = new URL(`${apiUrl}/pools/${pool}`);
    const found = oidc.discovery(issuer, clientId, clientSecret, undefined, { execute: [oidc.allowInsecureRequests] });
    discovered.set(pool, found);
    found.catch(() => discovered.delete(pool)); // not reachable yet: try again next time
    return found;
  };
  /** Pending sign-ins, by state. A real client keeps them in a cookie. */
  const pending = new Map<string, { pool: PoolName; verifier: string; nonce: string }>();
  const arrivals: Arrival[] = [];
  /** Received by back-channel logout. */
  const logoutTokens: string[] = [];

  async function handle(request: IncomingMessage, response: ServerResponse) {
    const requestUrl = new URL(request.url ?? '/', url);
    const [, path = '', name = ''] = requestUrl.pathname.split('/');
    const pool = name === 'admin' ? 'admin' : 'customer';
    if (path === 'start') return redirect(response, await start(pool, requestUrl.searchParams));
    if (path === 'signed-out') {
      logoutTokens.push(new URLSearchParams(await text(request)).get('logout_token') ?? '');
      return void response.end();
    }
    if (path === 'callback') return page(response, describe(await finish(requestUrl)));
    return page(
      response,
      `<h1>Sign-in example</h1><p><a href="/start/customer">Sign in as a customer</a></p><p><a href="/start/admin">Sign in as an operator</a></p>`,
    );
  }

  async function start(pool: PoolName, extraParameters: URLSearchParams): Promise<string> {
    const configuration = await discover(pool);
    const [state, nonce, verifier] = [randomUUID(), randomUUID(), oidc.randomPKCECodeVerifier()];
    pending.set(state, { pool, verifier, nonce });
    const target = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: `${url}/callback/${pool}`,
      scope: 'openid email profile offline_access',
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      ...Object.fromEntries(extraParameters),
    });
    return target.href;
  }

  async function finish(requestUrl: URL): Promise<Arrival> {
    const state = requestUrl.searchParams.get('state') ?? '';
    const signIn = pending.get(state);
    if (!signIn) throw new Error('no such sign-in');
    pending.delete(state);
    const checks = { pkceCodeVerifier: signIn.verifier, expectedState: state, expectedNonce: signIn.nonce };
    const tokens = await oidc.authorizationCodeGrant(await discover(signIn.pool), requestUrl, checks);
    const arrival: Arrival = {
      pool: signIn.pool,
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token ?? '',
      idToken: tokens.id_token ?? '',
      claims: tokens.claims(),
    };
    arrivals.push(arrival);
    return arrival;
  }

  function describe({ claims, pool, idToken: hint }: Arrival): string {
    const end = `${apiUrl}/pools/${pool}/session/end?${new URLSearchParams({ id_token_hint: hint, post_logout_redirect_uri: `${url}/` }).toString()}`;
    return `<h1>Signed in</h1><pre>${escape(JSON.stringify(claims, null, 2))}</pre><p><a id="sign-out" href="${escape(end)}">Sign out</a></p>`;
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      response.statusCode = 500;
      page(
        response,
        `<h1>Something went wrong</h1><pre>${escape(String(error))}</pre><p><a href="/">Start again</a></p>`,
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url,
    arrivals,
    logoutTokens,
    discover,
    stop: () => new Promise<void>((done) => server.close(() => done()).closeAllConnections()),
  };
}

const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const redirect = (response: ServerResponse, location: string) => void response.writeHead(303, { location }).end();
const page = (response: ServerResponse, body: string) =>
  void response
    .setHeader('content-type', 'text/html; charset=utf-8')
    .end(
      `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Sign-in example</title><style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui;max-width:40rem;margin:3rem auto;padding:0 1rem}pre{overflow:auto}</style><main>${body}</main></html>`,
    );
