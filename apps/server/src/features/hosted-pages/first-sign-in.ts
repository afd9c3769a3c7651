import type { PageRequest, PageResponse } from '../../platform/http/route.ts';
import { consumeToken, createToken, type Accounts } from '../accounts/index.ts';
import type { findInteraction, Progress } from './interaction.ts';
import type { PageSite } from './page-requests.ts';

type Interaction = Awaited<ReturnType<typeof findInteraction>>;

const lifetimeSeconds = 300;
const cookieOf = ({ pool }: PageSite) => `${pool}_first`;
const attributesOf = ({ pool, publicUrl }: PageSite) =>
  `Path=/pools/${pool}/interaction; HttpOnly; SameSite=Lax${publicUrl.startsWith('https:') ? '; Secure' : ''}`;

/** The redirect URI of the portal; undefined if no client has it, because a sign-in would then fail. */
function callbackOf({ config }: Accounts, { pool, signInUrl }: PageSite): string | undefined {
  const callback = signInUrl && new URL('/api/auth/callback', signInUrl).href;
  const isRegistered = config.OIDC_CLIENTS.some(
    (client) => client.pool === pool && callback !== undefined && client.redirectUris.includes(callback),
  );
  return isRegistered ? callback : undefined;
}

/**
 * After someone chose their first password: sends them to the portal, which starts a sign-in that asks for nothing. The
 * cookie proves that it is the same browser, so a link alone signs no one in. Undefined without a portal.
 */
export async function startFirstSignIn(
  accounts: Accounts,
  site: PageSite,
  userId: string,
): Promise<PageResponse | undefined> {
  const callback = callbackOf(accounts, site);
  if (!callback) return undefined;
  const token = await accounts.pool.inPool((tx) =>
    createToken(tx, { purpose: 'first-sign-in', seconds: lifetimeSeconds, userId }),
  );
  return {
    location: new URL('/api/auth/start', callback).href,
    headers: { 'set-cookie': `${cookieOf(site)}=${token}; ${attributesOf(site)}; Max-Age=${lifetimeSeconds}` },
  };
}

/** Redeems the cookie, once and only for a sign-in to the portal: any program on the device can claim to be the CLI. */
export async function redeemFirstSignIn(
  accounts: Accounts,
  site: PageSite,
  { params }: Interaction,
  { request }: PageRequest,
): Promise<Progress | undefined> {
  const cookies = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const token = cookies.find((pair) => pair.startsWith(`${cookieOf(site)}=`))?.slice(cookieOf(site).length + 1);
  if (!token || params['redirect_uri'] !== callbackOf(accounts, site)) return undefined;
  const redeemed = await accounts.pool.inPool((tx) => consumeToken(tx, 'first-sign-in', token));
  return redeemed?.userId ? { userId: redeemed.userId, methods: ['pwd'] } : undefined;
}
