import { randomFrom, type Random } from '../apps/server/test/faults/random.ts';
import { portalHeader } from '../packages/portal-kit/src/server/guard.ts';
import { exponential, sleepUntil } from './arrivals.ts';
import { discard, type Reply } from './client.ts';
import type { Target, Tenant } from './target.ts';
import type { VisitDeps } from './retrying.ts';

// Tenant staff: someone signs in and looks at a few pages; and a tenant's backend that reads with its server key.

const meanReadingMs = 6_000;
const pages = ['/', '/conversations', '/insights', '/contacts', '/bots', '/developers/webhooks', '/developers/events'];

export interface StaffDeps extends Omit<VisitDeps, 'target'> {
  target: Pick<Target, 'apiUrl' | 'portalUrl'>;
}

/** Cookies as a browser sends them back. */
const cookiesOf = ({ headers }: Reply) =>
  [headers['set-cookie'] ?? []]
    .flat()
    .map((line) => line.split(';')[0] ?? '')
    .filter((pair) => !pair.endsWith('='))
    .join('; ');

/** What a browser sends with every request from then on; undefined if it did not succeed. */
export async function signIn(
  { target, client, measures }: StaffDeps,
  { customer }: Tenant,
  random: Random,
  dueAt: number,
): Promise<Record<string, string> | undefined> {
  if (!customer) return;
  const { portalUrl } = target;
  const forwarded = { 'x-forwarded-for': `10.${random.between(0, 255)}.${random.between(0, 255)}.9` };
  measures.total('sign-ins');
  const signedIn = await client.send({
    kind: portalUrl === undefined ? 'api' : 'portal',
    method: 'POST',
    url: portalUrl === undefined ? `${target.apiUrl}/auth/login` : `${portalUrl}/api/auth/login`,
    headers: {
      ...forwarded,
      ...(portalUrl !== undefined && { [portalHeader.name]: portalHeader.value, origin: new URL(portalUrl).origin }),
    },
    body: customer,
    dueAt,
  });
  if (signedIn) await discard(signedIn);
  if (!signedIn || signedIn.status >= 500) measures.count('sign-ins failed', dueAt);
  if (signedIn?.status !== 200) return;
  measures.time('signIn', performance.now() - dueAt, dueAt);
  return { ...forwarded, cookie: cookiesOf(signedIn) };
}

export async function signInAndRead(deps: StaffDeps, tenant: Tenant, seed: number, dueAt: number): Promise<void> {
  const { target, client, measures, isOver, hurry = 1 } = deps;
  const { portalUrl } = target;
  const random = randomFrom(seed);
  const session = await signIn(deps, tenant, random, dueAt);
  if (!session || portalUrl === undefined) return;
  const headers = { ...session, accept: 'text/html' };
  for (let n = random.between(2, 6); n > 0 && !isOver.aborted; n--) {
    const pageDueAt = performance.now();
    const page = await client.send({ kind: 'portal', url: portalUrl + random.pick(pages), headers, dueAt: pageDueAt });
    if (page) await discard(page);
    if (page?.status === 200) measures.time('page', performance.now() - pageDueAt, pageDueAt);
    else if (page) measures.total('pages without content');
    await sleepUntil(performance.now() + exponential(random, meanReadingMs) / hurry, isOver);
  }
}

export async function readWithKey(deps: StaffDeps, tenant: Tenant, dueAt: number): Promise<void> {
  const { target, client, measures } = deps;
  const headers = keyHeaders(tenant);
  if (!headers) return;
  const reply = await client.send({ kind: 'api', url: `${target.apiUrl}/conversations?limit=20`, headers, dueAt });
  if (!reply) return;
  await discard(reply);
  if (reply.status === 200) measures.time('apiRead', performance.now() - dueAt, dueAt);
}

export const keyHeaders = ({ serverKey, serverKeyId }: Tenant) =>
  serverKey === undefined || serverKeyId === undefined
    ? undefined
    : { authorization: `Bearer ${serverKey}`, 'x-service-api-key-id': serverKeyId };
