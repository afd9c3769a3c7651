import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { errors, jwtVerify, type JWTPayload } from 'jose';
import type { VisitorSession } from '../../platform/context.ts';
import { derivedKeys, type Keyring } from '../../platform/crypto.ts';
import { unauthorized } from '../../platform/errors.ts';
import type { Id } from '../../platform/ids.contract.ts';

/** Sessions are tokens, not rows: a page view leaves nothing behind. What they stand on is looked up at each use. */
export const sessionSeconds = 30 * 60;
/** A session is renewed from itself for so long; then the page, or the tenant's backend, opens a new one. */
const renewableMs = 12 * 3_600_000;
/** A phone that was asleep for a moment may still renew. */
const lateSeconds = 5 * 60;
export const visitorTokenSeconds = 30 * 86_400;

interface Key {
  id: string;
  key: KeyObject;
}

/** Who somebody was, to be told apart from others when they come back: proof that we met, and nothing more. */
export interface Acquaintance {
  tenantId: string;
  environmentId: string;
  botId: string;
  visitorId: Id<'visitor'>;
  givenAt: Date;
}

export type NewSession = Omit<VisitorSession, 'expiresAt'>;

export function createTokens(keyring: Keyring) {
  const keys = derivedKeys(keyring, 'widget-session').map((text): Key => {
    const id = createHash('sha256').update(text).digest('base64url').slice(0, 8);
    return { id, key: createSecretKey(Buffer.from(text, 'base64url')) };
  });
  const [current] = keys;
  if (!current) throw new Error('no key to sign sessions with');

  const head = toText({ alg: 'HS256', kid: current.id });
  // By hand: each page view with the widget opened costs two of these, and the library takes ten times as long, through
  // WebCrypto. Reading is the library's.
  const sign = (audience: 'session' | 'visitor', claims: JWTPayload, seconds: number): string => {
    const iat = Math.floor(Date.now() / 1_000);
    const body = `${head}.${toText({ ...claims, aud: audience, iat, exp: iat + seconds })}`;
    return `${body}.${createHmac('sha256', current.key).update(body).digest('base64url')}`;
  };

  const read = async (audience: 'session' | 'visitor', token: string, toleranceSeconds = 0) => {
    const keyOf = ({ kid }: { kid?: string }) => {
      const known = keys.find(({ id }) => id === kid);
      if (!known) throw new errors.JWKSNoMatchingKey();
      return known.key;
    };
    const demands = {
      algorithms: ['HS256'],
      audience,
      requiredClaims: ['exp', 'iat'],
      clockTolerance: toleranceSeconds,
    };
    return (await jwtVerify(token, keyOf, demands)).payload as JWTPayload & Record<string, string>;
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

    /** Throws 401 for whatever is not ours, not a session's or over. `isRenewal` accepts one that ended a moment ago. */
    async readSession(token: string, { isRenewal = false } = {}): Promise<VisitorSession> {
      const claims = await read('session', token, isRenewal ? lateSeconds : 0).catch((error: unknown) => {
        if (error instanceof errors.JWTExpired) throw expired();
        throw unauthorized('invalid_session', 'This is not a valid session token. Open a new session.');
      });
      const began = Number(claims['beg']);
      if (isRenewal && Date.now() - began > renewableMs) throw expired();
      const { con, ext = '', eml = '' } = claims;
      return {
        tenantId: claims['ten'] as Id<'tenant'>,
        environmentId: claims['env'] as Id<'environment'>,
        botId: claims['bot'] as Id<'bot'>,
        openedBy: claims['by'] ?? '',
        visitorId: claims['vis'] as Id<'visitor'>,
        label: claims['lbl'] ?? '',
        origin: claims['org'] ?? null,
        startedAt: new Date(began),
        expiresAt: new Date(Number(claims.exp) * 1_000),
        ...(claims['ver'] && { versionId: claims['ver'] as Id<'botVersion'> }),
        ...(con && { contact: { id: con as Id<'contact'>, externalUserId: ext, email: eml } }),
      };
    },

    signVisitor: ({ tenantId, environmentId, botId, visitorId }: Omit<Acquaintance, 'givenAt'>) =>
      sign('visitor', { ten: tenantId, env: environmentId, bot: botId, vis: visitorId }, visitorTokenSeconds),

    /** Nothing for a token that is no good: they are somebody new, and that is no error. */
    async readVisitor(token: string): Promise<Acquaintance | undefined> {
      const claims = await read('visitor', token).catch(() => undefined);
      if (!claims) return undefined;
      const { ten = '', env = '', bot = '' } = claims;
      return {
        tenantId: ten,
        environmentId: env,
        botId: bot,
        visitorId: claims['vis'] as Id<'visitor'>,
        givenAt: new Date(Number(claims.iat) * 1_000),
      };
    },
  };
}
export type Tokens = ReturnType<typeof createTokens>;

const toText = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

const expired = () => unauthorized('session_expired', 'This session has expired. Open a new one.');
