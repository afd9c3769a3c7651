import { createTransport } from 'nodemailer';
import type { Email, RenderedEmail } from './emails.ts';

/** The only SMTP client. The operator, not a tenant, chooses the server, so it is not guarded like other egress. */
export function openSmtp(url: string, from: string, connections: number) {
  const { protocol, hostname, port, username, password } = new URL(url);
  const host = hostname.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  const isLoopback = /^(localhost|127(\.\d+){3}|::1)$/.test(host);
  // Not passed as a URL: its query could disable TLS checks or enable a log with recipients and content.
  const transport = createTransport({
    pool: true,
    host,
    ...(port && { port: Number(port) }),
    ...(username && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    secure: protocol === 'smtps:',
    requireTLS: !isLoopback,
    tls: { rejectUnauthorized: !isLoopback },
    maxConnections: connections,
    maxRequeues: 0, // the mailer retries
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
        to: { name: '', address: recipient }, // an object is never parsed as a list
        subject,
        text,
        html,
        // The same for every attempt, so that the receiver can drop duplicates.
        messageId: `<${id}@${domain}>`,
        headers: { 'Auto-Submitted': 'auto-generated' }, // suppresses auto-replies
      }),
    /** Connects and signs in, without sending anything. */
    verify: () => transport.verify(),
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
 * The recipient or the message was rejected permanently. Excludes errors of our setup, which an operator can fix:
 * authentication, the sender address, or permission to relay (5.7.x), which servers report for the recipient.
 */
export function isPermanentFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { command = '', responseCode = 0 } = error as SmtpError;
  const isAboutEmail = command === 'RCPT TO' || command === 'DATA';
  return isAboutEmail && responseCode >= 550 && responseCode <= 554 && !enhancedStatusOf(error)?.startsWith('5.7.');
}

/** For the log, without the message: it may contain recipients or the content of the email. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code, command, responseCode } = error as SmtpError;
  if (command) return ['SMTP', command, code, responseCode, enhancedStatusOf(error)].filter(Boolean).join(' ');
  return `${error.name}: ${errorTextOf(error).replace(/(?<!\S)[^\s@]*@\S*/g, '[…]')}`;
}

/** For the outbox, which contains the recipient anyway. Removes links, which may be secrets of the email. */
export const errorTextOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/https?:\/\/\S+/g, '[…]');
