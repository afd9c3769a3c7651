import { createTransport } from 'nodemailer';
import type { Email, RenderedEmail } from './emails.ts';

/** The only door for emails. Its server is the operator's choice, not a tenant's, so it is not guarded like other egress. */
export function openSmtp(url: string, from: string, connections: number) {
  const { protocol, hostname, port, username, password } = new URL(url);
  const host = hostname.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  const isLoopback = /^(localhost|127(\.\d+){3}|::1)$/.test(host);
  // Part by part and not as a URL: its query could switch the checks off, or a log on that holds addresses and contents.
  const transport = createTransport({
    pool: true,
    host,
    ...(port && { port: Number(port) }),
    ...(username && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    secure: protocol === 'smtps:',
    requireTLS: !isLoopback,
    tls: { rejectUnauthorized: !isLoopback },
    maxConnections: connections,
    maxRequeues: 0, // trying again is up to the mailer, which counts and waits
    dnsTimeout: 5_000,
    connectionTimeout: 5_000,
    greetingTimeout: 5_000,
    socketTimeout: 15_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = /@([^\s<>@]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
  return {
    send: ({ id, recipient }: Email, { subject, text, html }: RenderedEmail) =>
      transport.sendMail({
        from,
        to: { name: '', address: recipient }, // never parsed as a list
        subject,
        text,
        html,
        // The same at every attempt, so that a receiver can drop a second copy.
        messageId: `<${id}@${domain}>`,
        headers: { 'Auto-Submitted': 'auto-generated' }, // keeps answers of absent people away
      }),
    close: () => transport.close(),
  };
}

interface SmtpError extends Error {
  code?: string;
  command?: string;
  responseCode?: number;
  response?: string;
}

const enhancedStatusOf = ({ response = '' }: SmtpError) => /^\d{3}[ -](\d\.\d+\.\d+)/.exec(response)?.[1];

/**
 * Refused for good: this mailbox, or this message. Not what the server has against us, which somebody will put right:
 * a sign-in, the sender's address, or (5.7.x) permission to relay, which is refused in the words of a recipient.
 */
export function isPermanentFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { command = '', responseCode = 0 } = error as SmtpError;
  const isAboutEmail = command === 'RCPT TO' || command === 'DATA';
  return isAboutEmail && responseCode >= 550 && responseCode <= 554 && !enhancedStatusOf(error)?.startsWith('5.7.');
}

/** For the log: a server's own words name mailboxes, and an error's may hold what the email says. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code, command, responseCode } = error as SmtpError;
  if (command) return ['SMTP', command, code, responseCode, enhancedStatusOf(error)].filter(Boolean).join(' ');
  return `${error.name}: ${errorTextOf(error).replace(/(?<!\S)[^\s@]*@\S*/g, '[…]')}`;
}

/** For the outbox, where the recipient stands anyway. A link may be the email's own, and is a secret. */
export const errorTextOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/https?:\/\/\S+/g, '[…]');
