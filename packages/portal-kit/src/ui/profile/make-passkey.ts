import { api, call, Problem } from '../browser.ts';
import type { OwnRoutes } from '../own-routes.ts';

const refusals: Record<string, string> = {
  NotAllowedError: 'No passkey was made: you said no, or waited too long. Try again.',
  InvalidStateError: 'This device has a passkey for your account already.',
  SecurityError: 'Passkeys do not work at this address of the portal.',
};

/** The browser asks the device, the device asks the person, and what comes of it is kept by the service. */
export async function makePasskey(at: OwnRoutes, name: string): Promise<void> {
  if (typeof PublicKeyCredential === 'undefined' || !('parseCreationOptionsFromJSON' in PublicKeyCredential))
    throw new Problem(0, { message: 'This browser does not know passkeys. Use a newer one, or an authenticator app.' });
  const { options } = await call(api.POST(at.passkeyOptions));
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  const made = await navigator.credentials.create({ publicKey }).catch((error: unknown) => {
    const kind = error instanceof DOMException ? error.name : '';
    throw new Problem(0, { message: refusals[kind] ?? 'The browser could not make a passkey. Try another device.' });
  });
  const credential = (made as PublicKeyCredential).toJSON() as { id: string; type: 'public-key' };
  await call(api.POST(at.passkeys, { body: { credential, name } }));
}
