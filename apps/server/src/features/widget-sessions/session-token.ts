import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { errors, jwtVerify, type JWTPayload } from 'jose';
import type { VisitorSession } from '../../platform/context.ts';
import { derivedKeys, type Keyring } from '../../platform/crypto.ts';
import { InvalidCredential, unauthorized } from '../../platform/errors.ts';
import type { Id } from '../../platform/ids.contract.ts';

/** Sessions are signed tokens, not rows, so a page view stores nothing. Key, bot and tenant are checked at each use. */
export const sessionSeconds = 30 * 60;
/** How long a session can be refreshed; after that the page, or the tenant's backend, opens a new one. */
const renewableMs = 12 * 3_600_000;
/** Expired sessions can still be refreshed for this long, for phones that were asleep. */
const renewalGraceSeconds = 5 * 60;
export const visitorTokenSeconds = 30 * 86_400;

interface Key {
  id: string;
  key: KeyObject;
}

/** Claims of a visitor token, which identifies a returning anonymous visitor. */
export interface VisitorClaims {
  tenantId: string;
  environmentId: string;
  botId: string;
  visitorId: Id<'visitor'>;
  issuedAt: Date;
}

export type NewSession = Omit<VisitorSession, 'expiresAt'>;

export function createTokens(keyring: Keyring) {
  const keys = derivedKeys(keyring, 'widget-session').map((text): Key => {
    const id = createHash('sha256').update(text).digest('base64url').slice(0, 8);
    return { id, key: createSecretKey(Buffer.from(text, 'base64url')) };
  });
  const [current] = keys;
  if (!current) throw new Error('no key to sign sessions with');

  const header = encode({ alg: 'HS256', kid: current.id });
  // Signed by hand: each opened widget needs two tokens, and the library takes ten times as long, through WebCrypto.
  // Verification uses the library.
  const sign = (audience: 'session' | 'visitor', claims: JWTPayload, seconds: number): string => {
    const iat = Math.floor(Date.now() / 1_000);
    const body = `${header}.${encode({ ...claims, aud: audience, iat, exp: iat + seconds })}`;
    return `${body}.${createHmac('sha256', current.key).update(body).digest('base64url')}`;
  };

  const read = async (audience: 'session' | 'visitor', token: string, toleranceSeconds = 0) => {
    const keyOf = ({ kid }: { kid?: string }) => {
      const match = keys.find(({ id }) => id === kid);
      if (!match) throw new errors.JWKSNoMatchingKey();
      return match.key;
    };
    const options = {
      algorithms: ['HS256'],
      audience,
      requiredClaims: ['exp', 'iat'],
      clockTolerance: toleranceSeconds,
    };
    return (await jwtVerify(token, keyOf, options)).payload as JWTPayload & Record<string, string>;
  };

  return {
    signSession(session: NewSession): { sessionToken: string; expiresAt: Date } {
      const { contact, origin, versionId, startedAt } = session;
      const claims = {
        ten: session.tenantId,
        env: session.environmentId,
        bot: session.botId,
        by: session.openedBy,
        vis: session.visitorId,
        lbl: session.label,
        beg: startedAt.getTime(),
        ...(origin !== null && { org: origin }),
        ...(versionId && { ver: versionId }),
        ...(contact && { con: contact.id, ext: contact.externalUserId, eml: contact.email }),
      };
      const expiresAt = new Date((Math.floor(Date.now() / 1_000) + sessionSeconds) * 1_000);
      return { sessionToken: sign('session', claims, sessionSeconds), expiresAt };
    },

    /** Throws 401 for an invalid or expired token. `isRenewal` accepts one that expired moments ago. */
    async readSession(token: string, { isRenewal = false } = {}): Promise<VisitorSession> {
      const claims = await read('session', token, isRenewal ? renewalGraceSeconds : 0).catch((error: unknown) => {
        if (error instanceof errors.JWTExpired) throw expired();
        throw new InvalidCredential('invalid_session', 'This is not a valid session token. Open a new session.');
      });
      const startedAt = Number(claims['beg']);
      if (isRenewal && Date.now() - startedAt > renewableMs) throw expired();
      const { con, ext = '', eml = '' } = claims;
      return {
        tenantId: claims['ten'] as Id<'tenant'>,
        environmentId: claims['env'] as Id<'environment'>,
        botId: claims['bot'] as Id<'bot'>,
        openedBy: claims['by'] ?? '',
        visitorId: claims['vis'] as Id<'visitor'>,
        label: claims['lbl'] ?? '',
        origin: claims['org'] ?? null,
        startedAt: new Date(startedAt),
        expiresAt: new Date(Number(claims.exp) * 1_000),
        ...(claims['ver'] && { versionId: claims['ver'] as Id<'botVersion'> }),
        ...(con && { contact: { id: con as Id<'contact'>, externalUserId: ext, email: eml } }),
      };
    },

    signVisitor: ({ tenantId, environmentId, botId, visitorId }: Omit<VisitorClaims, 'issuedAt'>) =>
      sign('visitor', { ten: tenantId, env: environmentId, bot: botId, vis: visitorId }, visitorTokenSeconds),

    /** undefined for an invalid token: the visitor is treated as new, which is not an error. */
    async readVisitor(token: string): Promise<VisitorClaims | undefined> {
      const claims = await read('visitor', token).catch(() => undefined);
      if (!claims) return undefined;
      const { ten = '', env = '', bot = '' } = claims;
      return {
        tenantId: ten,
        environmentId: env,
        botId: bot,
        visitorId: claims['vis'] as Id<'visitor'>,
        issuedAt: new Date(Number(claims.iat) * 1_000),
      };
    },
  };
}
export type Tokens = ReturnType<typeof createTokens>;

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

const expired = () => unauthorized('session_expired', 'This session has expired. Open a new one.');
