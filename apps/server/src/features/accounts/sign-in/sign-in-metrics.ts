import { AppError } from '../../../platform/errors.ts';
import { createHistogram, secondsSince } from '../../../platform/metrics/histogram.ts';
import { createCounter } from '../../../platform/metrics/instruments.ts';
import { RateLimited } from '../../../platform/rate-limit.ts';

type SignInMethod = 'password' | 'code' | 'passkey';

const outcomes = ['succeeded', 'failed', 'throttled', 'refused', 'error'] as const;
const signIns = createCounter(
  'parley_sign_ins_total',
  'Checks of a password, code or passkey. `refused`: correct, but the account may not sign in.',
  { method: ['password', 'code', 'passkey'], outcome: outcomes },
);
const durations = createHistogram({
  name: 'parley_sign_in_duration_seconds',
  help: 'Time of a check of a password, code or passkey.',
  labelNames: ['method'],
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5],
});

export async function measureSignIn<T>(method: SignInMethod, check: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  let outcome: (typeof outcomes)[number] = 'succeeded';
  try {
    return await check();
  } catch (error) {
    outcome = outcomeOf(error);
    throw error;
  } finally {
    signIns.inc({ method, outcome });
    durations.with({ method }).observe(secondsSince(startedAt));
  }
}

function outcomeOf(error: unknown): (typeof outcomes)[number] {
  if (error instanceof RateLimited) return 'throttled';
  if (!(error instanceof AppError) || error.status >= 500) return 'error';
  return error.status === 403 ? 'refused' : 'failed';
}
