import type { RequestInfo } from '../../../platform/context.ts';
import { derivedKeys } from '../../../platform/crypto.ts';
import { forbidden, invalid } from '../../../platform/errors.ts';
import { networkKey, RateLimited } from '../../../platform/rate-limit.ts';
import type { Accounts } from '../accounts.ts';
import { isCaptchaSolved } from './captcha.ts';
import { disposableDomains } from './disposable-domains.ts';
import { createChallenge, lifetimeSeconds, maxNumberFor, readProof, type Challenge } from './proof-of-work.ts';

type Visitor = Pick<RequestInfo, 'ip'>;

// The limits per IP address don't stop someone who has a whole network of them; these do.
const networkLimit = { name: 'sign-ups-network', points: 100, seconds: 3_600 };
const challengeLimit = { name: 'sign-up-challenges-network', points: 300, seconds: 3_600 };
/** A challenge works once. Counted as a rate limit, so it holds while Valkey is unavailable too. */
const useOnce = { name: 'sign-up-proofs', points: 1, seconds: lifetimeSeconds };

const challengeKeys = ({ services }: Accounts) => derivedKeys(services.keyring, 'sign-up-challenge');

export function assertSignUpOpen({ config }: Pick<Accounts, 'config'>): void {
  if (config.SIGNUP !== 'open')
    throw forbidden('signup_closed', 'Accounts are by invitation only. Ask your organisation to invite you.');
}

/** The difficulty grows with the number of challenges that a network requests. Null if proof of work is not enabled. */
export async function newChallenge(accounts: Accounts, { ip }: Visitor): Promise<Challenge | null> {
  assertSignUpOpen(accounts);
  if (accounts.config.SIGN_UP_CHECK !== 'proof_of_work') return null;
  const { consumed = 1 } = await accounts.consume(challengeLimit, networkKey(ip));
  return createChallenge(challengeKeys(accounts)[0] ?? '', maxNumberFor(consumed));
}

/** All checks of a sign-up, before anything is stored or sent. */
export async function checkSignUp(
  accounts: Accounts,
  { email, proof }: { email: string; proof?: string | undefined },
  { ip }: Visitor,
): Promise<void> {
  assertSignUpOpen(accounts);
  if (isBlockedDomain(email, accounts.config.SIGN_UP_BLOCKED_DOMAINS))
    throw invalid('email_domain_blocked', [
      { path: '/email', message: 'This is a disposable email address. Use a permanent one, such as your work email.' },
    ]);
  if (accounts.config.SIGN_UP_CHECK !== 'none') await checkProof(accounts, proof, ip);
  // Counted last, so that invalid requests don't use up the share of other people in the network.
  await accounts.consume(networkLimit, networkKey(ip));
}

async function checkProof(accounts: Accounts, proof: string | undefined, ip: string): Promise<void> {
  const { SIGN_UP_CHECK: check, CAPTCHA: captcha } = accounts.config;
  if (!proof)
    throw forbidden(
      'proof_required',
      check === 'captcha'
        ? 'Solve the CAPTCHA on the sign-up page and send its token as `proof`.'
        : 'Solve a challenge from POST /auth/signup/challenge and send it as `proof`.',
    );
  const isValid =
    check === 'captcha'
      ? captcha !== null && (await isCaptchaSolved(accounts.fetch, captcha, proof, ip))
      : await useProof(accounts, proof);
  if (!isValid)
    throw forbidden('proof_invalid', 'The proof is wrong, has expired or was already used. Try again with a new one.');
}

async function useProof(accounts: Accounts, proof: string): Promise<boolean> {
  const id = readProof(challengeKeys(accounts), proof);
  if (id === undefined) return false;
  return accounts.consume(useOnce, id).then(
    () => true,
    (error: unknown) => {
      if (error instanceof RateLimited) return false;
      throw error;
    },
  );
}

/** Also matches parent domains, because providers of disposable email addresses hand out subdomains. */
export function isBlockedDomain(email: string, blocked: readonly string[]): boolean {
  const labels = email
    .slice(email.lastIndexOf('@') + 1)
    .toLowerCase()
    .split('.');
  return labels.some((_, n) => {
    const domain = labels.slice(n).join('.');
    return disposableDomains.has(domain) || blocked.includes(domain);
  });
}
