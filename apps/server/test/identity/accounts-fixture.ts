import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { TOTP, Secret } from 'otpauth';
import { insertAccount, setPassword } from '../../src/features/accounts/accounts.store.ts';
import { openAccounts, type Accounts } from '../../src/features/accounts/index.ts';
import { mint } from '../../src/features/accounts/one-time-tokens.store.ts';
import { hashPassword } from '../../src/features/accounts/password/passwords.ts';
import { beginTotp, newRecoveryCodes } from '../../src/features/accounts/two-factor/totp.ts';
import { libraryPages } from '../../src/features/hosted-pages/pages/library-pages.ts';
import { openPool } from '../../src/features/pools/index.ts';
import { newId } from '../../src/platform/ids.ts';
import { inPool, type PoolName } from '../../src/platform/pool.ts';
import { admin, api, aTenant, services, type TestTenant } from '../harness.ts';

export const rightPassword = 'correct horse battery staple';
export const wrongPassword = 'incorrect horse battery staple';

const hashes = new Map<string, Promise<string>>();
/** Made once for each: a hash is dear. */
export function hashOf(pool: PoolName, password: string): Promise<string> {
  const key = `${pool}/${password}`;
  const made = hashes.get(key) ?? hashPassword(pool, password);
  hashes.set(key, made);
  return made;
}

interface Wanted {
  pool?: PoolName;
  password?: string;
  /** Whose member they become; else they own a tenant of their own. */
  tenant?: TestTenant;
  roles?: string[];
}

/** Somebody who can sign in here. */
export async function anAccount({ pool = 'customer', password = rightPassword, tenant, roles = [] }: Wanted = {}) {
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

/** Many at once, all with the right password: for an attack on many. Says their addresses. */
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

/** A second factor that is in use, with what its app and its owner's drawer hold. */
export async function withTotp({ userId, email }: TestAccount, pool: PoolName = 'customer') {
  const made = await inPool(services.db, pool, async (tx) => {
    const { secret } = await beginTotp(tx, services.keyring, pool, userId, email);
    await tx
      .updateTable('totp')
      .set({ confirmedAt: sql`now()` })
      .where('userId', '=', userId)
      .execute();
    return { secret, recoveryCodes: await newRecoveryCodes(tx, userId) };
  });
  const totp = new TOTP({ secret: Secret.fromBase32(made.secret), digits: 6, period: 30 });
  /** The code so many steps from now. One step either way is accepted. */
  const code = (steps = 0) => totp.generate({ timestamp: Date.now() + steps * 30_000 });
  /** Six digits that are none of those accepted for the next minutes. */
  const wrongCode = (n: number) => {
    const right = new Set(Array.from({ length: 12 }, (_, step) => code(step - 1)));
    for (let guess = n % 1_000_000; ; guess = (guess + 500_009) % 1_000_000) {
      const text = String(guess).padStart(6, '0');
      if (!right.has(text)) return text;
    }
  };
  return { ...made, code, wrongCode };
}

let made = 0;
/** An IPv4 address that nobody had before in this file. */
export function anIp(): string {
  made++;
  return `10.${(made >> 16) & 255}.${(made >> 8) & 255}.${made & 255}`;
}

/** A request as it comes from that address. */
export const sendFrom = (
  address: string,
  url: string,
  body: object,
  headers: Record<string, string> = {},
  app = api.app,
) => app.inject({ method: 'POST', url, headers, payload: body, remoteAddress: address });

export const signIn = (app: typeof api.app, email: string, password: string, address = anIp()) =>
  sendFrom(address, '/auth/login', { email, password }, {}, app);

/** What the routes stand on, without them and their limit of requests. */
export function accountsOf(name: PoolName, db = services.db): Accounts {
  const { config, log, consume: takeOne, safeFetch } = api.platform;
  const here = { ...services, db };
  const pool = openPool(name, { services: here, config, log, pages: libraryPages(name, []), fetch });
  const nobody = () => {};
  return openAccounts({
    services: here,
    pool,
    config,
    log,
    consume: takeOne,
    fetch: safeFetch,
    invalidateUser: nobody,
    invalidateMember: nobody,
    invalidateSessions: nobody,
    readExternalToken: () => Promise.reject(new Error('no external issuer')),
    wakeMailer: nobody,
  });
}

/** What `POST /auth/login` gives to somebody whose password is right and who has a second factor. */
export async function mfaTokenFor({ email, password }: TestAccount, address: string): Promise<string> {
  const response = await signIn(api.app, email, password, address);
  const { error } = response.json<{ error: { reason: string; details: { path: string; message: string }[] } }>();
  if (error.reason !== 'mfa_required') throw new Error(`no second step: ${response.statusCode} ${response.body}`);
  return error.details.find(({ path }) => path === '/mfaToken')?.message ?? '';
}

export const aResetToken = ({ userId }: TestAccount, pool: PoolName = 'customer') =>
  inPool(services.db, pool, (tx) => mint(tx, { purpose: 'reset', seconds: 60, userId }));

/** All of these, so many under way at any moment; says how often each outcome came. */
export async function tally<T>(items: Iterable<T>, atOnce: number, work: (item: T) => Promise<string | number>) {
  const outcomes: Record<string, number> = {};
  const left = items[Symbol.iterator]();
  const run = async () => {
    for (let next = left.next(); !next.done; next = left.next()) {
      const outcome = await work(next.value);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, run));
  return outcomes;
}

/** Time passes for whoever was told to wait: every block ends now. */
export const waitIsOver = (pool: PoolName = 'customer') =>
  sql`update ${sql.id(`${pool}_pool`)}.login_attempts set blocked_until = now() where blocked_until > now()`.execute(
    admin,
  );

/** As if everything about guesses had happened that much earlier. */
export async function hoursPass(hours: number) {
  const { rows } = await sql<{ name: string }>`select column_name as name from information_schema.columns
    where table_schema = 'customer_pool' and table_name = 'login_attempts' and data_type = 'timestamp with time zone'`.execute(
    admin,
  );
  const earlier = rows.map(({ name }) => sql`${sql.id(name)} = ${sql.id(name)} - make_interval(hours => ${hours})`);
  await sql`update customer_pool.login_attempts set ${sql.join(earlier)}`.execute(admin);
}

/** Rows of the pool's audit log about what was tried from an address, or at an account. */
export async function noted(action: string, { address, userId }: { address?: string; userId?: string }) {
  const { rows } = await sql`select from customer_pool.audit_entries where action = ${action}
    and ${address === undefined ? sql`user_id = ${userId}` : sql`actor_id = ${address}`}`.execute(admin);
  return rows.length;
}
export const failedSignInEmailsTo = async (email: string) =>
  (await sql`select from directory.emails where kind = 'failed_sign_ins' and recipient = ${email}`.execute(admin)).rows
    .length;
