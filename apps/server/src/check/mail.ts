import { Resolver } from 'node:dns/promises';
import { openSmtp } from '../platform/smtp.ts';
import { defineFindings, reasonOf, type CheckContext, type Finding } from './finding.ts';

const { types, report } = defineFindings({
  'mail.missing': {
    level: 'warning',
    cause: 'SMTP_URL is not set: invitations, password resets and notifications stay queued.',
    fix: 'Set SMTP_URL and MAIL_FROM.',
  },
  'mail.unreachable': {
    level: 'error',
    cause: 'The SMTP server does not respond at the host and port in SMTP_URL.',
    fix: 'Correct SMTP_URL. Many providers of servers block port 25: use 465 (`smtps:`) or 587 (`smtp:`).',
  },
  'mail.tls': {
    level: 'error',
    cause: 'The SMTP server offers no TLS, or its certificate is not valid for its host.',
    fix: 'Use the host name in the certificate, `smtps:` for port 465 and `smtp:` for port 587. Parley sends nothing without TLS, except to localhost.',
  },
  'mail.login': {
    level: 'error',
    cause: 'The SMTP server rejects the user or the password in SMTP_URL.',
    fix: 'Correct user and password. Characters such as `@` and `/` are percent-encoded in a URL.',
  },
  'mail.sender': {
    level: 'warning',
    cause:
      'The domain in MAIL_FROM has no mail server in DNS, so that receivers reject emails from it or mark them as spam.',
    fix: 'Use an address of a domain that you send from, with MX and SPF records.',
  },
});
export const mailFindings = types;

export async function checkMail(ctx: CheckContext): Promise<Finding[]> {
  const { SMTP_URL: url } = ctx.config;
  if (url === undefined) return [report('mail.missing', ['SMTP_URL'], 'SMTP_URL is not set.')];
  return (await Promise.all([checkServer(url, ctx.timeoutMs), checkSender(ctx)])).flat();
}

async function checkServer(url: string, timeoutMs: number): Promise<Finding[]> {
  const { host } = new URL(url);
  const smtp = openSmtp(url, '', 1);
  const timedOut = new Promise<never>((_resolve, reject) =>
    setTimeout(reject, timeoutMs, Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' })).unref(),
  );
  try {
    await Promise.race([smtp.verify(), timedOut]);
    return [];
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code === 'EAUTH') return [report('mail.login', ['SMTP_URL'], `The SMTP server at ${host} rejects the login.`)];
    if (isTlsError(code, message))
      return [report('mail.tls', ['SMTP_URL'], `No valid TLS connection to the SMTP server at ${host} (${message}).`)];
    const unreachable = `The SMTP server does not respond at ${host} (${reasonOf(error)}).`;
    return [report('mail.unreachable', ['SMTP_URL'], unreachable)];
  } finally {
    smtp.close();
  }
}

const isTlsError = (code: string, message: string) =>
  code === 'ETLS' || /certificate|altname|self.signed|SSL|TLS|wrong version/i.test(message);

/** Receivers send bounces to it: by its MX record, or its A or AAAA record if it has none (RFC 5321). */
async function checkSender({ config, timeoutMs, dnsServers }: CheckContext): Promise<Finding[]> {
  const domain = /@([^\s<>@]+)>?\s*$/.exec(config.MAIL_FROM)?.[1];
  if (domain === undefined) return [report('mail.sender', ['MAIL_FROM'], 'MAIL_FROM contains no email address.')];
  const resolver = new Resolver({ timeout: timeoutMs / 2, tries: 2 });
  if (dnsServers) resolver.setServers(dnsServers);
  const records = await Promise.allSettled([
    resolver.resolveMx(domain),
    resolver.resolve4(domain),
    resolver.resolve6(domain),
  ]);
  if (records.some(({ status }) => status === 'fulfilled')) return [];
  return [report('mail.sender', ['MAIL_FROM'], `The domain ${domain} of MAIL_FROM has no mail server.`)];
}
