import { useContext, useState } from 'react';
import { useRevalidator } from 'react-router';
import { twoFactorPath, twoFactorRequired } from '../context.ts';
import { Problem } from './browser.ts';
import { ExpireLayoutData } from './layout-data.ts';
import { useStepUp } from './step-up.tsx';
import { toast } from './toast.tsx';

/** 401 reasons for a wrong password or code. They don't mean that the session expired. */
const retryableReasons = new Set(['invalid_credentials', 'invalid_code', 'passkey_failed', 'mfa_required']);
const isSessionExpired = ({ status, reason }: Problem) => status === 401 && !retryableReasons.has(reason);

/**
 * Runs an action and tracks its state and error. If the API requires step-up authentication, it asks for it and retries.
 * Afterwards the page's data is reloaded, unless `isQuiet` is set, and `success` is shown as a toast.
 */
export function useAction<A extends unknown[], T>(
  action: (...args: A) => Promise<T>,
  { isQuiet = false, success }: { isQuiet?: boolean; success?: string } = {},
) {
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const { revalidate } = useRevalidator();
  const stepUp = useStepUp();
  const expireLayoutData = useContext(ExpireLayoutData);

  const perform = async (args: A): Promise<T> => {
    const result = await action(...args).catch(async (error: unknown) => {
      if (error instanceof Problem && error.reason === 'step_up_required' && (await stepUp())) return action(...args);
      throw error;
    });
    if (!isQuiet) {
      expireLayoutData();
      await revalidate();
    }
    if (success) toast({ message: success });
    return result;
  };
  const fail = (error: unknown): undefined => {
    if (error instanceof Problem && isSessionExpired(error))
      location.assign(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
    if (error instanceof Problem && error.reason === twoFactorRequired) location.assign(twoFactorPath);
    setProblem(
      error instanceof Problem
        ? error
        : new Problem(0, { message: 'Something went wrong. Reload the page and try again.' }),
    );
  };
  const run = (...args: A): Promise<T | undefined> => {
    setRunning(true);
    setProblem(undefined);
    return perform(args)
      .catch(fail)
      .finally(() => setRunning(false));
  };
  return { run, isRunning, problem, clear: () => setProblem(undefined) };
}
