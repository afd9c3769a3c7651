import { useCallback, useRef, useState } from 'react';
import { useRevalidator } from 'react-router';
import { twoFactorPath, twoFactorRequired } from '../context.ts';
import { Problem } from './browser.ts';
import { useStepUp } from './step-up.tsx';

let isWhole = false;
/** Whether everything is to be read again: after what somebody did, and not when a page looks by itself. */
export const isWholeRead = (): boolean => isWhole;

async function readAgain(revalidate: () => Promise<void>): Promise<void> {
  isWhole = true;
  try {
    await revalidate();
  } finally {
    isWhole = false;
  }
}

/** A wrong password or code is a 401 as well: whoever mistyped stays and tries again. */
const mistakes = new Set(['invalid_credentials', 'invalid_code', 'passkey_failed', 'mfa_required']);
const isOver = ({ status, reason }: Problem) => status === 401 && !mistakes.has(reason);

/**
 * One thing a person does: running, refused or done. What is refused for want of a fresh proof asks for it and goes on;
 * what is done makes the page read again what it shows.
 */
export function useAction<A extends unknown[], T>(work: (...args: A) => Promise<T>, { isQuiet = false } = {}) {
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const { revalidate } = useRevalidator();
  const proveAgain = useStepUp();
  const latest = useRef(work);
  latest.current = work;

  const run = useCallback(
    async (...args: A): Promise<T | undefined> => {
      setRunning(true);
      setProblem(undefined);
      try {
        const done = await latest.current(...args).catch(async (error: unknown) => {
          if (error instanceof Problem && error.reason === 'step_up_required' && (await proveAgain()))
            return latest.current(...args);
          throw error;
        });
        if (!isQuiet) await readAgain(revalidate);
        return done;
      } catch (error) {
        if (error instanceof Problem && isOver(error))
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
    [isQuiet, proveAgain, revalidate],
  );
  return { run, isRunning, problem, clear: () => setProblem(undefined) };
}
