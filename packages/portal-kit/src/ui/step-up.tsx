import { Button, Divider, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { createContext, useCallback, useContext, useRef, useState, type FormEvent, type ReactNode } from 'react';
import { api, call, fieldsOf, Problem } from './browser.ts';
import { Dialog } from './dialog.tsx';
import { useAccountRoutes, type AccountRoutes } from './account-routes.ts';
import { ProblemText } from './problem.tsx';

type VerifyIdentity = () => Promise<boolean>;
const StepUp = createContext<VerifyIdentity>(() => Promise.resolve(false));
export const useStepUp = (): VerifyIdentity => useContext(StepUp);

interface Factors {
  hasCode: boolean;
  hasPasskey: boolean;
}

async function requestPasskey({ passkeyChallenge }: AccountRoutes): Promise<object> {
  const { options } = await call(api.POST(passkeyChallenge));
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as never);
  const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential | null;
  if (!credential) throw new Problem(0, { message: 'No passkey was provided.' });
  return { passkey: credential.toJSON() };
}

/** Step-up authentication before sensitive actions, valid for five minutes, with one of the user's factors. */
export function StepUpProvider({ children }: { children: ReactNode }) {
  const at = useAccountRoutes();
  const [factors, setFactors] = useState<Factors>();
  const [problem, setProblem] = useState<Problem>();
  const resolver = useRef<(isVerified: boolean) => void>(undefined);

  const verifyIdentity: VerifyIdentity = useCallback(async () => {
    setProblem(undefined);
    const { totp, passkeys } = await call(api.GET(at.factors)).catch(() => ({ totp: false, passkeys: [] }));
    setFactors({ hasCode: totp, hasPasskey: passkeys.length > 0 });
    return new Promise((resolve) => (resolver.current = resolve));
  }, [at]);
  const finish = (isVerified: boolean) => {
    setFactors(undefined);
    resolver.current?.(isVerified);
  };
  const send = async (getProof: () => Promise<object>) => {
    setProblem(undefined);
    try {
      await call(api.POST(at.stepUp, { body: await getProof() }));
      finish(true);
    } catch (error) {
      setProblem(
        error instanceof Problem ? error : new Problem(0, { message: 'The passkey couldn’t be verified. Try again.' }),
      );
    }
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { password = '', code = '' } = fieldsOf(event.currentTarget);
    void send(() => Promise.resolve({ password, ...(code.trim() && { code: code.trim() }) }));
  };
  // A password alone is enough only without other factors.
  const acceptsPassword = factors && (factors.hasCode || !factors.hasPasskey);
  return (
    <StepUp.Provider value={verifyIdentity}>
      {children}
      <Dialog isOpen={factors !== undefined} onClose={() => finish(false)} title="Confirm it’s you" isNested>
        <Stack>
          <Text>For your security, confirm it’s you before you continue.</Text>
          {factors?.hasPasskey && <Button onClick={() => void send(() => requestPasskey(at))}>Use a passkey</Button>}
          {factors?.hasPasskey && acceptsPassword && <Divider label="or" />}
          {acceptsPassword && (
            <form onSubmit={submit}>
              <Stack>
                <PasswordInput
                  name="password"
                  label="Password"
                  autoComplete="current-password"
                  required
                  data-autofocus
                />
                {factors.hasCode && (
                  <TextInput
                    name="code"
                    label="Code"
                    description="Six digits from your authenticator app, or a recovery code."
                    autoComplete="one-time-code"
                    required
                  />
                )}
                <Button type="submit" variant={factors.hasPasskey ? 'default' : 'filled'}>
                  Confirm
                </Button>
              </Stack>
            </form>
          )}
          <ProblemText problem={problem} />
        </Stack>
      </Dialog>
    </StepUp.Provider>
  );
}
