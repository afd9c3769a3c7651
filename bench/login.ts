import { rmSync } from 'node:fs';
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
import { startStack } from '../tools/stack/index.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 40);
const perRound = Number(process.env['BENCH_LOGINS'] ?? 12);
const cores = availableParallelism();

export async function login() {
  const stack = await startStack('bench', { keep: false });
  try {
    // Each sign-in has its own IP: the limits per IP are not measured.
    const settings: Record<string, string> = { ...(await prepare(stack)), TRUSTED_PROXIES: '127.0.0.1' };
    const { customer } = await seedDemo(settings);
    const api = runEntry('apps/server/src/api.ts', settings);
    await waitFor(`${settings['PUBLIC_URL']}/health/ready`);
    const accessToken = await measureSignIn(settings['PUBLIC_URL'] ?? '', customer);
    await measureVerification(settings, accessToken);
    await api.stop();
  } finally {
    await stack.stop();
    rmSync(stack.dir, { recursive: true, force: true });
  }
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const verdict = (ratio: number, goal: number) =>
  `ratio ${ratio.toFixed(2)} (goal ${goal.toFixed(2)} or less: ${ratio <= goal ? 'met' : 'NOT MET'})`;

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

/** In turn, so that other load on the machine affects both: the median of the rounds' ratios. */
async function compare(ours: () => Promise<number>, bare: () => Promise<number>) {
  await Promise.all([ours(), bare()]); // warm
  const [of, ofBare]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    ofBare.push(await bare());
    of.push(await ours());
  }
  const ratio = median(of.map((ms, round) => ms / (ofBare[round] ?? 1)));
  // The best rounds are closest to an idle machine.
  return { ours: median(of), bare: median(ofBare), ratio, best: Math.min(...of) / Math.min(...ofBare) };
}

/** The full sign-in (counters, hash, session, signed token, audit log), compared with the password hash alone. */
async function measureSignIn(url: string, { email, password }: { email: string; password: string }): Promise<string> {
  const client = createClient();
  let [count, accessToken] = [0, ''];
  const signIn = async () => {
    count++;
    const ip = `10.${(count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}`;
    const response = await client.call('POST', `${url}/auth/login`, { 'x-forwarded-for': ip }, { email, password });
    if (response.status !== 200) throw new Error(`returned ${response.status} ${response.body}`);
    ({ accessToken } = JSON.parse(response.body) as { accessToken: string });
  };
  const stored = await hashPassword('customer', password);
  const check = async () => {
    if (!(await verify(stored, password))) throw new Error('the hash is of another password');
  };
  for (const concurrency of [1, cores]) {
    const { ours, bare, ratio, best } = await compare(
      () => timePerCall(perRound, concurrency, signIn),
      () => timePerCall(perRound, concurrency, check),
    );
    console.log(
      `sign-in, ${concurrency} concurrent: ${ours.toFixed(1)} ms each, bare argon2 ${bare.toFixed(1)} ms, ${verdict(ratio, 1.5)}, of the best rounds ${best.toFixed(2)}`,
    );
  }
  client.close();
  return accessToken;
}

/** Our verification of an access token, without its cache, compared with jose with the same keys and requirements. */
async function measureVerification(settings: Record<string, string>, token: string) {
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
  const { ours, bare, ratio, best } = await compare(
    () => timePerCall(500, 1, () => verifyToken(token)),
    () => timePerCall(500, 1, () => jwtVerify(token, keys, requirements)),
  );
  console.log(
    `token check without cache: ${(ours * 1_000).toFixed(0)} µs, bare jose ${(bare * 1_000).toFixed(0)} µs, ${verdict(ratio, 1.3)}, of the best rounds ${best.toFixed(2)}`,
  );
  pool.stop();
  await platform.close();
}
