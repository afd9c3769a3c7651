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
    // Each sign-in comes from an address of its own: the limits of one address are not what is measured.
    const settings: Record<string, string> = { ...(await prepare(stack)), TRUSTED_PROXIES: '127.0.0.1' };
    const { customer } = await seedDemo(settings);
    const api = runEntry('apps/server/src/api.ts', settings);
    await waitFor(`${settings['PUBLIC_URL']}/health/ready`);
    const accessToken = await signingIn(settings['PUBLIC_URL'] ?? '', customer);
    await verifying(settings, accessToken);
    await api.stop();
  } finally {
    await stack.stop();
    rmSync(stack.dir, { recursive: true, force: true });
  }
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const verdict = (ratio: number, goal: number) =>
  `ratio ${ratio.toFixed(2)} (goal ${goal.toFixed(2)} or less: ${ratio <= goal ? 'met' : 'NOT MET'})`;

/** Milliseconds for each, `atOnce` of them under way at any moment. */
async function pace(count: number, atOnce: number, work: () => Promise<unknown>): Promise<number> {
  let left = count;
  const began = performance.now();
  const run = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: atOnce }, run));
  return (performance.now() - began) / count;
}

/** Both by turns, so that whatever else the machine does happens to both: the median of the rounds' ratios. */
async function compare(ours: () => Promise<number>, bare: () => Promise<number>) {
  await Promise.all([ours(), bare()]); // warm
  const [of, ofBare]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    ofBare.push(await bare());
    of.push(await ours());
  }
  const ratio = median(of.map((ms, round) => ms / (ofBare[round] ?? 1)));
  // The best rounds come nearest to a machine that does nothing else.
  return { ours: median(of), bare: median(ofBare), ratio, best: Math.min(...of) / Math.min(...ofBare) };
}

/** The whole sign-in (counts, hash, session, signed token, audit log) against the hash that nobody can do without. */
async function signingIn(url: string, { email, password }: { email: string; password: string }): Promise<string> {
  const client = createClient();
  let [made, accessToken] = [0, ''];
  const signIn = async () => {
    made++;
    const address = `10.${(made >> 16) & 255}.${(made >> 8) & 255}.${made & 255}`;
    const answer = await client.call('POST', `${url}/auth/login`, { 'x-forwarded-for': address }, { email, password });
    if (answer.status !== 200) throw new Error(`answered ${answer.status} ${answer.body}`);
    ({ accessToken } = JSON.parse(answer.body) as { accessToken: string });
  };
  const stored = await hashPassword('customer', password);
  const check = async () => {
    if (!(await verify(stored, password))) throw new Error('the hash is of another password');
  };
  for (const atOnce of [1, cores]) {
    const { ours, bare, ratio, best } = await compare(
      () => pace(perRound, atOnce, signIn),
      () => pace(perRound, atOnce, check),
    );
    console.log(
      `sign-in, ${atOnce} at once: ${ours.toFixed(1)} ms each, bare argon2 ${bare.toFixed(1)} ms, ${verdict(ratio, 1.5)}, of the best rounds ${best.toFixed(2)}`,
    );
  }
  client.close();
  return accessToken;
}

/** Our check of an access token, without its cache, against jose with the same keys and the same demands. */
async function verifying(settings: Record<string, string>, token: string) {
  const config = loadConfig(settings);
  const platform = await openPlatform('api', config);
  const { services, log, safeFetch } = platform;
  const pool = openPool('customer', { services, config, log, pages: libraryPages('customer', []), fetch });
  const own = ownIssuer(pool);
  const verifyToken = createVerifier(config.OIDC_ISSUERS, safeFetch, [own]);
  const published = await fetch(`${settings['PUBLIC_URL']}/pools/customer/jwks`);
  const keys = createLocalJWKSet((await published.json()) as JSONWebKeySet);
  const { issuer, audience, algorithms } = own.issuer;
  const demands = {
    issuer,
    audience,
    algorithms,
    typ: 'at+jwt',
    clockTolerance: 5,
    requiredClaims: ['sub', 'iat', 'exp'],
  };
  const { ours, bare, ratio, best } = await compare(
    () => pace(500, 1, () => verifyToken(token)),
    () => pace(500, 1, () => jwtVerify(token, keys, demands)),
  );
  console.log(
    `token check without cache: ${(ours * 1_000).toFixed(0)} µs, bare jose ${(bare * 1_000).toFixed(0)} µs, ${verdict(ratio, 1.3)}, of the best rounds ${best.toFixed(2)}`,
  );
  pool.stop();
  await platform.close();
}
