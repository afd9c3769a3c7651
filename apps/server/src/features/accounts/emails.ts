import type { Config } from '../../platform/config.ts';
import { asSystem, inTenant, type Services } from '../../platform/context.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { plainName, renderEmail } from '../../platform/email-layout.ts';
import type { Email, EmailRenderers, RenderedEmail } from '../../platform/emails.ts';
import { inPool, type PoolName } from '../../platform/pool.ts';
import { writeInvitationToken } from '../members/index.ts';
import { findByEmail, findById, findSignup, type Account } from './accounts.store.ts';
import { emailTexts, type EmailTexts } from './emails.texts.ts';
import { discard, isFresh, mint } from './one-time-tokens.store.ts';

const minutes = 60;
const resetLifetime: Record<PoolName, number> = { customer: 30 * minutes, admin: 15 * minutes };
const day = 86_400;

/** Who gets what. A link is made here, as its email is written: nothing that lies in wait holds one. */
export function accountEmails(services: Services, { PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>): EmailRenderers {
  const base = PUBLIC_URL.replace(/\/$/, '');
  const poolOf = ({ data }: Email) => (data['pool'] === 'admin' ? 'admin' : 'customer') satisfies PoolName;
  const url = (pool: PoolName, path: string, lang: string, query: Record<string, string> = {}) =>
    `${base}/pools/${pool}${path}?${new URLSearchParams({ ...query, lang }).toString()}`;
  const write = (locale: string, { button, ...words }: ReturnType<EmailTexts['reset']>, link?: string): RenderedEmail =>
    renderEmail({ locale, ...words, ...(button && link && { button: { label: button, url: link } }) });

  /** To somebody who has an account, about it. */
  const toOwner =
    (say: (texts: EmailTexts, account: Account) => ReturnType<EmailTexts['reset']>) => async (email: Email) => {
      const pool = poolOf(email);
      const account = await inPool(services.db, pool, (tx) => findById(tx, String(email.data['userId'])));
      if (!account) return null;
      const { locale } = account;
      return write(locale, say(emailTexts(locale), account), url(pool, '/forgot', locale));
    };

  return {
    /** Asked for by anybody, for any address: here it turns out whether there is such an account. */
    reset: async (email) => {
      const pool = poolOf(email);
      const locale = String(email.data['locale']);
      const made = await inPool(services.db, pool, async (tx) => {
        const account = await findByEmail(tx, email.recipient);
        if (!account || account.isDisabled) return null;
        // Whoever asks again and again for somebody else's address does not fill their mailbox.
        if (email.attempts === 1 && (await isFresh(tx, 'reset', account.userId, 60))) return null;
        await discard(tx, 'reset', account.userId);
        const token = await mint(tx, { purpose: 'reset', seconds: resetLifetime[pool], userId: account.userId });
        return { account, token };
      });
      if (!made) return null;
      return write(
        locale,
        emailTexts(locale).reset(plainName(made.account.name)),
        url(pool, '/reset', locale, { token: made.token }),
      );
    },

    welcome: async (email) => {
      const made = await inPool(services.db, 'admin', async (tx) => {
        const account = await findById(tx, String(email.data['userId']));
        // With a password they need no link any more.
        if (!account || account.isDisabled || account.passwordHash !== null) return null;
        await discard(tx, 'welcome', account.userId);
        return { account, token: await mint(tx, { purpose: 'welcome', seconds: day, userId: account.userId }) };
      });
      if (!made) return null;
      const { locale, name } = made.account;
      return write(
        locale,
        emailTexts(locale).welcome(plainName(name)),
        url('admin', '/reset', locale, { token: made.token }),
      );
    },

    signup: async (email) => {
      const made = await inPool(services.db, 'customer', async (tx) => {
        const account = await findByEmail(tx, email.recipient);
        if (account) return { account };
        const signup = await findSignup(tx, String(email.data['signupId']));
        if (!signup) return null;
        const token = await mint(tx, { purpose: 'signup', seconds: day, data: { signupId: signup.id } });
        return { signup, token };
      });
      if (!made) return null;
      if (made.account) {
        const { locale, name } = made.account;
        return write(locale, emailTexts(locale).alreadyRegistered(plainName(name)), url('customer', '/forgot', locale));
      }
      const { locale, name } = made.signup;
      return write(
        locale,
        emailTexts(locale).signup(plainName(name)),
        url('customer', '/confirm', locale, { token: made.token }),
      );
    },

    invitation: async (email) => {
      const { tenantId, invitationId } = email.data as { tenantId: Id<'tenant'>; invitationId: string };
      const locale = String(email.data['locale']);
      const made = await inTenant(services, asSystem(tenantId, 'emails'), (ctx) =>
        writeInvitationToken(ctx, invitationId),
      );
      if (!made) return null;
      const { token, tenantName, inviterName, roles } = made;
      const words = emailTexts(locale).invitation({
        tenantName: plainName(tenantName),
        inviterName: inviterName && plainName(inviterName),
        roles: roles.join(', '),
      });
      return write(locale, words, url('customer', '/invitation', locale, { token }));
    },

    failed_sign_ins: toOwner((texts, { name }) => texts.failedSignIns(plainName(name))),
    password_changed: toOwner((texts, { name }) => texts.passwordChanged(plainName(name))),
    identity_added: toOwner((texts, { name }) => texts.identityAdded(plainName(name))),
    second_factor_changed: toOwner((texts, { name }) => texts.secondFactorChanged(plainName(name))),
  };
}
