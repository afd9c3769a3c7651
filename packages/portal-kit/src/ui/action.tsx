import { useCallback, useRef, useState } from 'react';
import { useRevalidator } from 'react-router';
import { twoFactorPath, twoFactorRequired } from '../context.ts';
import { Problem } from './browser.ts';
import { useStepUp } from './step-up.tsx';

let isFullReload = false;
/** True while an action reloads all data, as opposed to a poll. */
export const isReloadingAll = (): boolean => isFullReload;

async function reloadAll(revalidate: () => Promise<void>): Promise<void> {
  isFullReload = true;
  try {
    await revalidate();
  } finally {
    isFullReload = false;
  }
}

/** 401 reasons for a wrong password or code. They don't mean that the session expired. */
const retryableReasons = new Set(['invalid_credentials', 'invalid_code', 'passkey_failed', 'mfa_required']);
const isSessionExpired = ({ status, reason }: Problem) => status === 401 && !retryableReasons.has(reason);

/**
 * Runs an action and tracks its state and error. If the API requires step-up authentication, it asks for it and retries.
 * Afterwards the page's data is reloaded, unless `isQuiet` is set.
 */
export function useAction<A extends unknown[], T>(action: (...args: A) => Promise<T>, { isQuiet = false } = {}) {
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const { revalidate } = useRevalidator();
  const stepUp = useStepUp();
  const latest = useRef(action);
  latest.current = action;

  const run = useCallback(
    async (...args: A): Promise<T | undefined> => {
      setRunning(true);
      setProblem(undefined);
      try {
        const result = await latest.current(...args).catch(async (error: unknown) => {
          if (error instanceof Problem && error.reason === 'step_up_required' && (await stepUp()))
            return latest.current(...args);
          throw error;
        });
        if (!isQuiet) await reloadAll(revalidate);
        return result;
      } catch (error) {
        if (error instanceof Problem && isSessionExpired(error))
          location.assign(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
        if (error instanceof Problem && error.reason === twoFactorRequired) location.assign(twoFactorPath);
        setProblem(
          error instanceof Problem
            ? error
            : new Problem(0, { message: 'Something went wrong. Reload the page and try again.' }),
        );
        return undefined;
      } finally {
        setRunning(false);
      }
    },
    [isQuiet, stepUp, revalidate],
  );
  return { run, isRunning, problem, clear: () => setProblem(undefined) };
}
