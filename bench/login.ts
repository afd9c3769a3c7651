import { availableParallelism } from 'node:os';
import { verify } from '@node-rs/argon2';
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import { hashPassword } from '../apps/server/src/features/accounts/password/passwords.ts';
import { libraryPages } from '../apps/server/src/features/hosted-pages/pages/library-pages.ts';
import { openPool, ownIssuer } from '../apps/server/src/features/pools/index.ts';
import { createVerifier } from '../apps/server/src/features/users/token.ts';
import { loadConfig } from '../apps/server/src/platform/config.ts';
import { openPlatform } from '../apps/server/src/platform/platform.ts';
import { createClient } from '../apps/server/test/faults/client.ts';
import { runEntry, waitFor } from '../tools/demo/processes.ts';
import { seedDemo } from '../tools/demo/seed.ts';
import { prepare } from '../tools/demo/settings.ts';
import { anIp } from './chat-client.ts';
import { compare, type Comparison } from './figures/comparison.ts';
import type { Result } from './figures/result.ts';
import { buildServer, built, withStack, type OnEnd } from './servers.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 40);
const perRound = Number(process.env['BENCH_LOGINS'] ?? 12);
const cores = availableParallelism();

export async function login(): Promise<Result[]> {
  buildServer();
  return withStack(async (stack, onEnd) => {
    // Each sign-in has its own IP: the limits per IP are not measured.
    const settings: Record<string, string> = { ...(await prepare(stack)), TRUSTED_PROXIES: '127.0.0.1' };
    const apiUrl = settings['PUBLIC_URL'] ?? '';
    const { customer } = await seedDemo(settings);
    onEnd(runEntry(built.api, settings).stop);
    await waitFor(`${apiUrl}/health/ready`);
    const figures: Result[] = [];
    let accessToken = '';
    for (const concurrency of new Set([1, cores])) {
      const onSignIn = (token: string) => (accessToken = token);
      const comparison = await signIns(apiUrl, customer, { concurrency, perRound, onSignIn, onEnd });
      figures.push(await compare(comparison, rounds));
    }
    return [...figures, await verification(settings, accessToken)];
  });
}

/** Milliseconds each, with `concurrency` in progress at any time. */
async function timePerCall(count: number, concurrency: number, work: () => Promise<unknown>): Promise<number> {
  let remaining = count;
  const startedAt = performance.now();
  const run = async () => {
    while (remaining-- > 0) await work();
  };
  await Promise.all(Array.from({ length: concurrency }, run));
  return (performance.now() - startedAt) / count;
}

interface SignInOptions {
  concurrency: number;
  perRound: number;
  /** Gets the access token. */
  onSignIn?: (token: string) => void;
  onEnd: OnEnd;
}

/** The full sign-in (counters, hash, session, signed token, audit log), compared with the password hash alone. */
export async function signIns(
  apiUrl: string,
  { email, password }: { email: string; password: string },
  { concurrency, perRound: count, onSignIn, onEnd }: SignInOptions,
): Promise<Comparison> {
  const client = createClient();
  onEnd(client.close);
  const signIn = async () => {
    const headers = { 'x-forwarded-for': anIp() };
    const response = await client.call('POST', `${apiUrl}/auth/login`, headers, { email, password });
    if (response.status !== 200) throw new Error(`returned ${response.status} ${response.body}`);
    onSignIn?.((JSON.parse(response.body) as { accessToken: string }).accessToken);
  };
  const stored = await hashPassword('customer', password);
  const check = async () => {
    if (!(await verify(stored, password))) throw new Error('the hash is of another password');
  };
  const comparison: Comparison = {
    name: `signing in (\`POST /auth/login\`), ${concurrency} concurrent`,
    unit: 'ms',
    peerName: 'one argon2id hash',
    goal: { atMost: 1.4 },
    ours: () => timePerCall(count, concurrency, signIn),
    peer: () => timePerCall(count, concurrency, check),
  };
  await Promise.all([comparison.ours(), comparison.peer()]); // warm
  return comparison;
}

/** Our verification of an access token, without its cache, compared with jose with the same keys and requirements. */
async function verification(settings: Record<string, string>, token: string): Promise<Result> {
  const config = loadConfig(settings);
  const platform = await openPlatform('api', config);
  const { services, log, safeFetch } = platform;
  const pool = openPool('customer', { services, config, log, pages: libraryPages('customer', []), fetch });
  const own = ownIssuer(pool);
  const verifyToken = createVerifier(config.OIDC_ISSUERS, safeFetch, [own]);
  const published = await fetch(`${settings['PUBLIC_URL']}/pools/customer/jwks`);
  const keys = createLocalJWKSet((await published.json()) as JSONWebKeySet);
  const { issuer, audience, algorithms } = own.issuer;
  const requirements = {
    issuer,
    audience,
    algorithms,
    typ: 'at+jwt',
    clockTolerance: 5,
    requiredClaims: ['sub', 'iat', 'exp'],
  };
  const inMicroseconds = async (work: () => Promise<unknown>) => 1_000 * (await timePerCall(500, 1, work));
  const comparison: Comparison = {
    name: 'verifying an access token, uncached',
    unit: 'µs',
    peerName: 'bare `jose`',
    goal: { atMost: 1.3 },
    ours: () => inMicroseconds(() => verifyToken(token)),
    peer: () => inMicroseconds(() => jwtVerify(token, keys, requirements)),
  };
  await Promise.all([comparison.ours(), comparison.peer()]); // warm
  const figure = await compare(comparison, rounds);
  pool.stop();
  await platform.close();
  return figure;
}
