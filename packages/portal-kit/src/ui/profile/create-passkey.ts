import { api, call, Problem } from '../browser.ts';
import type { AccountRoutes } from '../account-routes.ts';

const errorMessages: Record<string, string> = {
  NotAllowedError: 'The passkey wasn’t created because the request was cancelled or timed out. Try again.',
  InvalidStateError: 'This device already has a passkey for your account.',
  SecurityError: 'Passkeys don’t work on this domain.',
};

/** Creates a passkey with WebAuthn and registers it with the service. */
export async function createPasskey(at: AccountRoutes, name: string): Promise<void> {
  if (typeof PublicKeyCredential === 'undefined' || !('parseCreationOptionsFromJSON' in PublicKeyCredential))
    throw new Problem(0, { message: 'This browser doesn’t support passkeys. Update it or use an authenticator app.' });
  const { options } = await call(api.POST(at.passkeyOptions));
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  const created = await navigator.credentials.create({ publicKey }).catch((error: unknown) => {
    const kind = error instanceof DOMException ? error.name : '';
    throw new Problem(0, {
      message: errorMessages[kind] ?? 'The browser couldn’t create a passkey. Try another device.',
    });
  });
  const credential = (created as PublicKeyCredential).toJSON() as { id: string; type: 'public-key' };
  await call(api.POST(at.passkeys, { body: { credential, name } }));
}
