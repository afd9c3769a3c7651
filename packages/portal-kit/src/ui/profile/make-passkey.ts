import { api, call, Problem } from '../browser.ts';
import type { OwnRoutes } from '../own-routes.ts';

const refusals: Record<string, string> = {
  NotAllowedError: 'The passkey wasn’t created because the request was cancelled or timed out. Try again.',
  InvalidStateError: 'This device already has a passkey for your account.',
  SecurityError: 'Passkeys don’t work on this domain.',
};

/** The browser asks the device, the device asks the person, and what comes of it is kept by the service. */
export async function makePasskey(at: OwnRoutes, name: string): Promise<void> {
  if (typeof PublicKeyCredential === 'undefined' || !('parseCreationOptionsFromJSON' in PublicKeyCredential))
    throw new Problem(0, { message: 'This browser doesn’t support passkeys. Update it or use an authenticator app.' });
  const { options } = await call(api.POST(at.passkeyOptions));
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  const made = await navigator.credentials.create({ publicKey }).catch((error: unknown) => {
    const kind = error instanceof DOMException ? error.name : '';
    throw new Problem(0, { message: refusals[kind] ?? 'The browser couldn’t create a passkey. Try another device.' });
  });
  const credential = (made as PublicKeyCredential).toJSON() as { id: string; type: 'public-key' };
  await call(api.POST(at.passkeys, { body: { credential, name } }));
}
