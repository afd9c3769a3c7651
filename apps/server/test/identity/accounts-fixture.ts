import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { TOTP, Secret } from 'otpauth';
import { insertAccount, setPassword } from '../../src/features/accounts/accounts.store.ts';
import { openAccounts, type Accounts } from '../../src/features/accounts/index.ts';
import { createToken } from '../../src/features/accounts/one-time-tokens.store.ts';
import { hashPassword } from '../../src/features/accounts/password/passwords.ts';
import { createTotp, newRecoveryCodes } from '../../src/features/accounts/two-factor/totp.ts';
import { libraryPages } from '../../src/features/hosted-pages/pages/library-pages.ts';
import { openPool } from '../../src/features/pools/index.ts';
import { newId } from '../../src/platform/ids.ts';
import { inPool, type PoolName } from '../../src/platform/pool.ts';
import { admin, api, aTenant, services, type TestTenant } from '../harness.ts';

export const rightPassword = 'correct horse battery staple';
export const wrongPassword = 'incorrect horse battery staple';

const hashes = new Map<string, Promise<string>>();
/** Cached, because hashing is slow. */
export function hashOf(pool: PoolName, password: string): Promise<string> {
  const key = `${pool}/${password}`;
  const hash = hashes.get(key) ?? hashPassword(pool, password);
  hashes.set(key, hash);
  return hash;
}

interface AccountOptions {
  pool?: PoolName;
  password?: string;
  /** The tenant to join. By default a new one, owned by the account. */
  tenant?: TestTenant;
  roles?: string[];
}

/** An account that can sign in. */
export async function anAccount({
  pool = 'customer',
  password = rightPassword,
  tenant,
  roles = [],
}: AccountOptions = {}) {
  const passwordHash = await hashOf(pool, password);
  if (pool === 'customer' && !tenant) {
    const { userId, email, tenantId } = await aTenant();
    await inPool(services.db, pool, (tx) => setPassword(tx, userId, passwordHash));
    return { userId, email, password, tenantId };
  }
  const userId = newId('user');
  const email = `${userId}@example.com`;
  const person = { userId, email, name: 'Test Person', locale: 'en', passwordHash };
  const platformRoles = pool === 'admin' ? ['platform_admin', ...roles] : [];
  await inPool(services.db, pool, (tx) => insertAccount(tx, { ...person, platformRoles }));
  if (tenant) {
    const { tenantId } = tenant;
    await sql`insert into directory.user_tenants values (${userId}, ${tenantId})`.execute(admin);
    await admin.insertInto('memberships').values({ tenantId, userId, roles }).execute();
  }
  return { userId, email, password, tenantId: tenant?.tenantId ?? null };
}
export type TestAccount = Awaited<ReturnType<typeof anAccount>>;

/** Creates many accounts with the same password. Returns their email addresses. */
export async function manyAccounts(count: number): Promise<string[]> {
  const hash = await hashOf('customer', rightPassword);
  const batch = randomBytes(6).toString('hex');
  const n = sql`generate_series(1, ${count}) as n`;
  await sql`insert into directory.users (user_id, pool, email, name)
    select ${`usr_${batch}`} || n, 'customer', ${`${batch}-`} || n || '@example.com', 'Test Person' from ${n}`.execute(
    admin,
  );
  await sql`insert into customer_pool.accounts (user_id, password_hash, email_verified_at)
    select ${`usr_${batch}`} || n, ${hash}, now() from ${n}`.execute(admin);
  return Array.from({ length: count }, (_, i) => `${batch}-${i + 1}@example.com`);
}

/** Adds a confirmed authenticator app. Returns its secret and the recovery codes. */
export async function withTotp({ userId, email }: TestAccount, pool: PoolName = 'customer') {
  const enrolled = await inPool(services.db, pool, async (tx) => {
    const { secret } = await createTotp(tx, services.keyring, pool, userId, email);
    await tx
      .updateTable('totp')
      .set({ confirmedAt: sql`now()` })
      .where('userId', '=', userId)
      .execute();
    return { secret, recoveryCodes: await newRecoveryCodes(tx, userId) };
  });
  const totp = new TOTP({ secret: Secret.fromBase32(enrolled.secret), digits: 6, period: 30 });
  /** The code of a later or earlier step. One step either way is accepted. */
  const code = (steps = 0) => totp.generate({ timestamp: Date.now() + steps * 30_000 });
  /** A six-digit code that is not accepted within the next minutes. */
  const wrongCode = (n: number) => {
    const validCodes = new Set(Array.from({ length: 12 }, (_, step) => code(step - 1)));
    for (let candidate = n % 1_000_000; ; candidate = (candidate + 500_009) % 1_000_000) {
      const text = String(candidate).padStart(6, '0');
      if (!validCodes.has(text)) return text;
    }
  };
  return { ...enrolled, code, wrongCode };
}

let ipCount = 0;
/** An IPv4 address that is unique within this file. */
export function anIp(): string {
  ipCount++;
  return `10.${(ipCount >> 16) & 255}.${(ipCount >> 8) & 255}.${ipCount & 255}`;
}

/** A request from that IP address. */
export const sendFrom = (ip: string, url: string, body: object, headers: Record<string, string> = {}, app = api.app) =>
  app.inject({ method: 'POST', url, headers, payload: body, remoteAddress: ip });

export const signIn = (app: typeof api.app, email: string, password: string, ip = anIp()) =>
  sendFrom(ip, '/auth/login', { email, password }, {}, app);

/** The service behind the routes, without their rate limit. */
export function accountsOf(name: PoolName, db = services.db): Accounts {
  const { config, log, consume, safeFetch } = api.platform;
  const testServices = { ...services, db };
  const pool = openPool(name, { services: testServices, config, log, pages: libraryPages(name, []), fetch });
  const noop = () => {};
  return openAccounts({
    services: testServices,
    pool,
    config,
    log,
    consume,
    fetch: safeFetch,
    invalidateUser: noop,
    invalidateMember: noop,
    invalidateSessions: noop,
    readExternalToken: () => Promise.reject(new Error('no external issuer')),
    wakeMailer: noop,
  });
}

/** The `mfaToken` that `POST /auth/login` returns if two-factor authentication is on. */
export async function mfaTokenFor({ email, password }: TestAccount, ip: string): Promise<string> {
  const response = await signIn(api.app, email, password, ip);
  const { error } = response.json<{ error: { reason: string; details: { path: string; message: string }[] } }>();
  if (error.reason !== 'mfa_required')
    throw new Error(`expected mfa_required, got ${response.statusCode} ${response.body}`);
  return error.details.find(({ path }) => path === '/mfaToken')?.message ?? '';
}

export const aResetToken = ({ userId }: TestAccount, pool: PoolName = 'customer') =>
  inPool(services.db, pool, (tx) => createToken(tx, { purpose: 'reset', seconds: 60, userId }));

/** Processes all items with limited concurrency and counts the outcomes. */
export async function tally<T>(items: Iterable<T>, concurrency: number, work: (item: T) => Promise<string | number>) {
  const outcomes: Record<string, number> = {};
  const remaining = items[Symbol.iterator]();
  const run = async () => {
    for (let next = remaining.next(); !next.done; next = remaining.next()) {
      const outcome = await work(next.value);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, run));
  return outcomes;
}

/** Ends all waits now. */
export const endAllBlocks = (pool: PoolName = 'customer') =>
  sql`update ${sql.id(`${pool}_pool`)}.login_attempts set blocked_until = now() where blocked_until > now()`.execute(
    admin,
  );

let timesOfAttempts: Promise<{ rows: { name: string }[] }> | undefined;
/** Moves all recorded attempts back in time. */
export async function moveAttemptsBack(hours: number) {
  timesOfAttempts ??= sql<{ name: string }>`select column_name as name from information_schema.columns
    where table_schema = 'customer_pool' and table_name = 'login_attempts' and data_type = 'timestamp with time zone'`.execute(
    admin,
  );
  const earlier = (await timesOfAttempts).rows.map(
    ({ name }) => sql`${sql.id(name)} = ${sql.id(name)} - make_interval(hours => ${hours})`,
  );
  await sql`update customer_pool.login_attempts set ${sql.join(earlier)}`.execute(admin);
}

/** Counts entries in the pool's audit log from an IP address, or about an account. */
export async function countAuditEntries(action: string, { ip, userId }: { ip?: string; userId?: string }) {
  const { rows } = await sql`select from customer_pool.audit_entries where action = ${action}
    and ${ip === undefined ? sql`user_id = ${userId}` : sql`actor_id = ${ip}`}`.execute(admin);
  return rows.length;
}
export const failedSignInEmailsTo = async (email: string) =>
  (await sql`select from directory.emails where kind = 'failed_sign_ins' and recipient = ${email}`.execute(admin)).rows
    .length;
