import { Button, Divider, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { createContext, useCallback, useContext, useRef, useState, type FormEvent, type ReactNode } from 'react';
import { api, call, fieldsOf, Problem } from './browser.ts';
import { Dialog } from './dialog.tsx';
import { useOwnRoutes, type OwnRoutes } from './own-routes.ts';
import { ProblemText } from './problem.tsx';

type Prove = () => Promise<boolean>;
const StepUp = createContext<Prove>(() => Promise.resolve(false));
export const useStepUp = (): Prove => useContext(StepUp);

interface Ways {
  hasCode: boolean;
  hasPasskey: boolean;
}

async function askPasskey({ passkeyChallenge }: OwnRoutes): Promise<object> {
  const { options } = await call(api.POST(passkeyChallenge));
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as never);
  const given = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential | null;
  if (!given) throw new Problem(0, { message: 'No passkey was provided.' });
  return { passkey: given.toJSON() };
}

/** Asks again who it is, before what is dangerous: once for five minutes, in one of the ways that this person has. */
export function StepUpProvider({ children }: { children: ReactNode }) {
  const at = useOwnRoutes();
  const [ways, setWays] = useState<Ways>();
  const [problem, setProblem] = useState<Problem>();
  const waiting = useRef<(isProven: boolean) => void>(undefined);

  const prove: Prove = useCallback(async () => {
    setProblem(undefined);
    const { totp, passkeys } = await call(api.GET(at.factors)).catch(() => ({ totp: false, passkeys: [] }));
    setWays({ hasCode: totp, hasPasskey: passkeys.length > 0 });
    return new Promise((resolve) => (waiting.current = resolve));
  }, [at]);
  const end = (isProven: boolean) => {
    setWays(undefined);
    waiting.current?.(isProven);
  };
  const send = async (proof: () => Promise<object>) => {
    setProblem(undefined);
    try {
      await call(api.POST(at.stepUp, { body: await proof() }));
      end(true);
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
  // A password alone is enough only for whoever has nothing else.
  const takesPassword = ways && (ways.hasCode || !ways.hasPasskey);
  return (
    <StepUp.Provider value={prove}>
      {children}
      <Dialog isOpen={ways !== undefined} onClose={() => end(false)} title="Confirm it’s you" isAbove>
        <Stack>
          <Text>For your security, confirm it’s you before you continue.</Text>
          {ways?.hasPasskey && <Button onClick={() => void send(() => askPasskey(at))}>Use a passkey</Button>}
          {ways?.hasPasskey && takesPassword && <Divider label="or" />}
          {takesPassword && (
            <form onSubmit={submit}>
              <Stack>
                <PasswordInput
                  name="password"
                  label="Password"
                  autoComplete="current-password"
                  required
                  data-autofocus
                />
                {ways.hasCode && (
                  <TextInput
                    name="code"
                    label="Code"
                    description="Six digits from your authenticator app, or a recovery code."
                    autoComplete="one-time-code"
                    required
                  />
                )}
                <Button type="submit" variant={ways.hasPasskey ? 'default' : 'filled'}>
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
