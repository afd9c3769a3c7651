import type { Provider } from 'oidc-provider';
import { forbidden, notFound } from '../../platform/errors.ts';
import type { PageRequest } from '../../platform/http/route.ts';
import { recordPoolAudit } from '../../platform/pool.ts';
import { findById, hasTwoFactor, type Account, type Accounts } from '../accounts/index.ts';
import { findInitialTenant, type Method } from '../pools/index.ts';

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/** What the person has proved so far in this sign-in. Stored with the interaction on the server. */
export interface Progress {
  userId: string;
  methods: Method[];
}

/** Finds the current sign-in by the browser's cookie. */
export async function findInteraction(
  { pool }: Accounts,
  { request, response }: PageRequest,
  uid: string,
): Promise<Interaction> {
  const provider = await pool.provider();
  const found = await provider.interactionDetails(request, response).catch(async (error: unknown) => {
    const { errors } = await import('oidc-provider'); // already loaded: the provider is one
    if (error instanceof errors.SessionNotFound) return undefined;
    throw error;
  });
  if (found?.uid !== uid) throw notFound('interaction');
  return found;
}

export const progressOf = ({ result }: Interaction): Progress | undefined =>
  (result as { progress?: Progress } | undefined)?.progress;

export async function saveProgress(interaction: Interaction, progress: Progress | undefined): Promise<void> {
  interaction.result = progress ? ({ progress } as never) : undefined;
  await interaction.save(interaction.exp - Math.floor(Date.now() / 1_000));
}

/** The current account of the person who is signing in. */
export async function accountOf({ pool }: Accounts, { userId }: Progress): Promise<Account> {
  const account = await pool.inPool((tx) => findById(tx, userId));
  if (!account || account.isDisabled) throw forbidden('account_disabled', 'This account is disabled.');
  return account;
}

export type MissingStep = 'two-factor' | 'enrolment' | 'nothing';

/** A passkey counts as two factors. A password requires a second factor if there is one, and always for operators. */
export function missingStep({ pool }: Accounts, account: Account, { methods }: Progress): MissingStep {
  if (methods.includes('passkey') || methods.length > 1) return 'nothing';
  if (hasTwoFactor(account)) return 'two-factor';
  return pool.name === 'admin' ? 'enrolment' : 'nothing';
}

/** Completes the sign-in. Returns the URL of the client to redirect to. */
export async function finish(
  { pool }: Accounts,
  pageRequest: PageRequest,
  { userId, methods }: Progress,
): Promise<string> {
  const { request, response, ip, requestId } = pageRequest;
  await pool.inPool(async (tx) => {
    if (pool.name === 'customer' && (await findInitialTenant(tx, pool.name, userId)) === null)
      throw forbidden('no_membership', 'This account does not belong to an organisation. Ask for an invitation.');
    const actor = { type: 'user' as const, id: userId };
    await recordPoolAudit(tx, {
      action: 'session.started',
      userId,
      actor,
      ip,
      requestId,
      data: { methods, hosted: true },
    });
  });
  const login = { accountId: userId, amr: methods, remember: true };
  const provider = await pool.provider();
  return provider.interactionResult(request, response, { login }, { mergeWithLastSubmission: false });
}
