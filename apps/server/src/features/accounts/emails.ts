import type { Config } from '../../platform/config.ts';
import { asSystem, inTenant, type Services } from '../../platform/context.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { plainName, renderEmail } from '../../platform/email-layout.ts';
import type { Email, EmailRenderers, RenderedEmail } from '../../platform/emails.ts';
import { inPool, type PoolName } from '../../platform/pool.ts';
import { writeInvitationToken } from '../members/index.ts';
import { findByEmail, findById, findSignup, type Account } from './accounts.store.ts';
import { emailTexts, type EmailTexts } from './emails.texts.ts';
import { deleteTokens, hasRecentToken, createToken } from './one-time-tokens.store.ts';

const minutes = 60;
const resetLifetime: Record<PoolName, number> = { customer: 30 * minutes, admin: 15 * minutes };
const day = 86_400;

/** Renders each account email. Links are created here, when the email is sent, so that queued emails contain no tokens. */
export function accountEmails(services: Services, { PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>): EmailRenderers {
  const base = PUBLIC_URL.replace(/\/$/, '');
  const poolOf = ({ data }: Email) => (data['pool'] === 'admin' ? 'admin' : 'customer') satisfies PoolName;
  const url = (pool: PoolName, path: string, lang: string, query: Record<string, string> = {}) =>
    `${base}/pools/${pool}${path}?${new URLSearchParams({ ...query, lang }).toString()}`;
  const write = (
    locale: string,
    { button, ...content }: ReturnType<EmailTexts['reset']>,
    link?: string,
  ): RenderedEmail =>
    renderEmail({ locale, ...content, ...(button && link && { button: { label: button, url: link } }) });

  /** An email to the owner of an account about a change to it. */
  const toOwner =
    (textOf: (texts: EmailTexts, account: Account) => ReturnType<EmailTexts['reset']>) => async (email: Email) => {
      const pool = poolOf(email);
      const account = await inPool(services.db, pool, (tx) => findById(tx, String(email.data['userId'])));
      if (!account) return null;
      const { locale } = account;
      return write(locale, textOf(emailTexts(locale), account), url(pool, '/forgot', locale));
    };

  return {
    /** Anyone can request this for any email address; whether the account exists is only looked up here. */
    reset: async (email) => {
      const pool = poolOf(email);
      const locale = String(email.data['locale']);
      const created = await inPool(services.db, pool, async (tx) => {
        const account = await findByEmail(tx, email.recipient);
        if (!account || account.isDisabled) return null;
        // Repeated requests for another person's email address must not fill their inbox.
        if (email.attempts === 1 && (await hasRecentToken(tx, 'reset', account.userId, 60))) return null;
        await deleteTokens(tx, 'reset', account.userId);
        const token = await createToken(tx, { purpose: 'reset', seconds: resetLifetime[pool], userId: account.userId });
        return { account, token };
      });
      if (!created) return null;
      return write(
        locale,
        emailTexts(locale).reset(plainName(created.account.name)),
        url(pool, '/reset', locale, { token: created.token }),
      );
    },

    welcome: async (email) => {
      const created = await inPool(services.db, 'admin', async (tx) => {
        const account = await findById(tx, String(email.data['userId']));
        // An account that already has a password needs no link.
        if (!account || account.isDisabled || account.passwordHash !== null) return null;
        await deleteTokens(tx, 'welcome', account.userId);
        return { account, token: await createToken(tx, { purpose: 'welcome', seconds: day, userId: account.userId }) };
      });
      if (!created) return null;
      const { locale, name } = created.account;
      return write(
        locale,
        emailTexts(locale).welcome(plainName(name)),
        url('admin', '/reset', locale, { token: created.token }),
      );
    },

    signup: async (email) => {
      const created = await inPool(services.db, 'customer', async (tx) => {
        const account = await findByEmail(tx, email.recipient);
        if (account) return { account };
        const signup = await findSignup(tx, String(email.data['signupId']));
        if (!signup) return null;
        const token = await createToken(tx, { purpose: 'signup', seconds: day, data: { signupId: signup.id } });
        return { signup, token };
      });
      if (!created) return null;
      if (created.account) {
        const { locale, name } = created.account;
        return write(locale, emailTexts(locale).alreadyRegistered(plainName(name)), url('customer', '/forgot', locale));
      }
      const { locale, name } = created.signup;
      return write(
        locale,
        emailTexts(locale).signup(plainName(name)),
        url('customer', '/confirm', locale, { token: created.token }),
      );
    },

    invitation: async (email) => {
      const { tenantId, invitationId } = email.data as { tenantId: Id<'tenant'>; invitationId: string };
      const locale = String(email.data['locale']);
      const created = await inTenant(services, asSystem(tenantId, 'emails'), (ctx) =>
        writeInvitationToken(ctx, invitationId),
      );
      if (!created) return null;
      const { token, tenantName, inviterName, roles } = created;
      const content = emailTexts(locale).invitation({
        tenantName: plainName(tenantName),
        inviterName: inviterName && plainName(inviterName),
        roles: roles.join(', '),
      });
      return write(locale, content, url('customer', '/invitation', locale, { token }));
    },

    failed_sign_ins: toOwner((texts, { name }) => texts.failedSignIns(plainName(name))),
    password_changed: toOwner((texts, { name }) => texts.passwordChanged(plainName(name))),
    identity_added: toOwner((texts, { name }) => texts.identityAdded(plainName(name))),
    second_factor_changed: toOwner((texts, { name }) => texts.secondFactorChanged(plainName(name))),
  };
}
