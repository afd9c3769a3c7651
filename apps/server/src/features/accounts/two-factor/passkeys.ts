import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { Config } from '../../../platform/config.ts';
import { AppError } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import type { PoolTx } from '../../../platform/pool.ts';
import { createToken, consumeToken } from '../one-time-tokens.store.ts';
import * as store from './two-factor.store.ts';

/** Passkeys are bound to one domain and can be used on the hosted pages and the portals. */
export function passkeySite(config: Pick<Config, 'PUBLIC_URL' | 'PORTAL_URL' | 'ADMIN_URL' | 'PASSKEY_DOMAIN'>) {
  const urls = [config.PUBLIC_URL, config.PORTAL_URL, config.ADMIN_URL].filter((url) => url !== undefined);
  return {
    domain: config.PASSKEY_DOMAIN ?? new URL(config.PUBLIC_URL).hostname,
    origins: urls.map((url) => new URL(url).origin),
  };
}
type Site = ReturnType<typeof passkeySite>;

/** Loaded on first use. */
const load = () => import('@simplewebauthn/server');

const minutes = 5;
const failed = (cause?: unknown) =>
  new AppError(
    'UNAUTHORIZED',
    'passkey_failed',
    'The passkey could not be verified. Try again or sign in another way.',
    {
      cause,
    },
  );

export async function creationOptions(tx: PoolTx, site: Site, person: { userId: string; email: string; name: string }) {
  const existing = await store.credentialsOf(tx, person.userId);
  const options = await (
    await load()
  ).generateRegistrationOptions({
    rpName: 'Parley',
    rpID: site.domain,
    userID: new TextEncoder().encode(person.userId),
    userName: person.email,
    userDisplayName: person.name,
    attestationType: 'none',
    excludeCredentials: existing.map(({ credentialId: id, transports }) => ({
      id,
      transports: transports as AuthenticatorTransport[],
    })),
    // Discoverable and with user verification, so that a passkey counts as two factors.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    timeout: minutes * 60_000,
  });
  await createToken(tx, {
    purpose: 'passkey-create',
    seconds: minutes * 60,
    userId: person.userId,
    value: options.challenge,
  });
  return options;
}

export async function addPasskey(tx: PoolTx, site: Site, userId: string, response: unknown, name: string) {
  const { registrationInfo } = await (
    await load()
  )
    .verifyRegistrationResponse({
      response: response as RegistrationResponseJSON,
      expectedChallenge: async (challenge) => (await consumeToken(tx, 'passkey-create', challenge))?.userId === userId,
      expectedOrigin: site.origins,
      expectedRPID: site.domain,
      requireUserVerification: true,
    })
    .catch((error: unknown) => {
      throw failed(error);
    });
  if (!registrationInfo) throw failed();
  const { id: credentialId, publicKey, counter, transports = [] } = registrationInfo.credential;
  const row = { id: newId('passkey'), userId, credentialId, counter, name };
  return store.insertPasskey(tx, { ...row, publicKey: Buffer.from(publicKey), transports });
}

/** Options without an account: the device offers its passkeys for this site, and the chosen one identifies the user. */
export async function requestOptions(tx: PoolTx, site: Site) {
  const options = await (
    await load()
  ).generateAuthenticationOptions({
    rpID: site.domain,
    userVerification: 'required',
    timeout: minutes * 60_000,
  });
  await createToken(tx, { purpose: 'passkey-get', seconds: minutes * 60, value: options.challenge });
  return options;
}

/** Verifies a passkey and returns the id of its owner. */
export async function checkPasskey(tx: PoolTx, site: Site, response: unknown): Promise<string> {
  const credential = response as AuthenticationResponseJSON;
  const isId = typeof credential?.id === 'string' && /^[\w-]{1,1400}$/.test(credential.id);
  const passkey = isId ? await store.findPasskey(tx, credential.id) : undefined;
  if (!passkey) throw failed();
  const { verified, authenticationInfo } = await (
    await load()
  )
    .verifyAuthenticationResponse({
      response: credential,
      expectedChallenge: async (challenge) => (await consumeToken(tx, 'passkey-get', challenge)) !== undefined,
      expectedOrigin: site.origins,
      expectedRPID: site.domain,
      requireUserVerification: true,
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(passkey.publicKey),
        counter: Number(passkey.counter),
        transports: passkey.transports,
      },
    })
    .catch((error: unknown) => {
      throw failed(error);
    });
  if (!verified) throw failed();
  await store.recordPasskeyUse(tx, passkey.id, authenticationInfo.newCounter);
  return passkey.userId;
}
