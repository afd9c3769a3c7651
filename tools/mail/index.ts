import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { listPage, messagePage, missingPage } from './pages.ts';

export interface CaughtEmail {
  id: string;
  /** The SMTP recipients, whatever the headers say. */
  to: string[];
  from: string;
  subject: string;
  text: string;
  html: string;
  messageId: string;
  receivedAt: string;
}

export interface MailCatcher {
  smtpUrl: string;
  mailUrl: string;
  /** Oldest first. */
  messages(): CaughtEmail[];
  /** The oldest matching email that no earlier call returned; waits for it if necessary. */
  next(matches: (message: CaughtEmail) => boolean, timeoutMs?: number): Promise<CaughtEmail>;
  stop(): Promise<void>;
}

interface MailCatcherOptions {
  smtpPort?: number;
  httpPort?: number;
  /** Where it listens. */
  host?: string;
  /** Connections to the SMTP server use TLS from the first byte. */
  tls?: { cert: string; key: string };
  /** How many of the newest emails are kept. */
  max?: number;
  /** Rejects a recipient with an SMTP response: `550 5.1.1 No such mailbox`. */
  refuse?: (recipient: string) => string | undefined;
}

/** A real SMTP server that delivers nothing: it keeps the newest emails in memory and shows them on a page. */
export async function startMailCatcher({
  smtpPort = 0,
  httpPort = 0,
  host = '127.0.0.1',
  tls,
  max = 200,
  refuse = () => undefined,
}: MailCatcherOptions = {}): Promise<MailCatcher> {
  const emails: CaughtEmail[] = [];
  const returned = new Set<string>();
  const waiting = new Set<() => void>();
  let count = 0;

  async function store(raw: Buffer, to: string[], sender: string) {
    const { subject = '', text = '', html = '', messageId = '', from } = await PostalMime.parse(raw);
    count += 1;
    const receivedAt = new Date().toISOString();
    emails.push({ id: String(count), to, from: from?.address ?? sender, subject, text, html, messageId, receivedAt });
    if (emails.length > max) returned.delete(emails.shift()?.id ?? '');
    for (const check of waiting) check();
  }

  const smtp = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    ...(tls && { secure: true, ...tls }),
    disableReverseLookup: true,
    size: 10_000_000,
    closeTimeout: 100,
    onRcptTo: ({ address }, _session, callback) => {
      const [, code, text] = /^(\d{3}) (.*)$/.exec(refuse(address) ?? '') ?? [];
      callback(code ? Object.assign(new Error(text), { responseCode: Number(code) }) : null);
    },
    onData: (stream, { envelope: { mailFrom, rcptTo } }, callback) => {
      const to = rcptTo.map(({ address }) => address);
      buffer(stream)
        .then((raw) => store(raw, to, mailFrom ? mailFrom.address : ''))
        .then(() => callback(null), callback);
    },
  });
  smtp.on('error', () => {}); // a client disconnected: its email was not accepted
  await new Promise<void>((resolve, reject) => {
    smtp.server.once('error', reject);
    smtp.listen(smtpPort, host, resolve);
  });
  const smtpUrl = `${tls ? 'smtps' : 'smtp'}://${host}:${(smtp.server.address() as AddressInfo).port}`;

  const http = createServer((request, response) => handle(request, response, emails, smtpUrl));
  await new Promise<void>((resolve, reject) => http.once('error', reject).listen(httpPort, host, resolve));

  return {
    smtpUrl,
    mailUrl: `http://${host}:${(http.address() as AddressInfo).port}`,
    messages: () => [...emails],
    next: (matches, timeoutMs = 30_000) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const found = emails.find((message) => !returned.has(message.id) && matches(message));
          if (!found) return;
          returned.add(found.id);
          clearTimeout(timer);
          waiting.delete(check);
          resolve(found);
        };
        const timer = setTimeout(() => {
          waiting.delete(check);
          const received = emails.map(({ to, subject }) => `- ${to.join(', ')}: ${subject}`).join('\n') || '- none';
          reject(new Error(`no matching email within ${timeoutMs} ms. Received emails:\n${received}`));
        }, timeoutMs);
        waiting.add(check);
        check();
      }),
    stop: async () => {
      http.closeAllConnections();
      await Promise.all([
        new Promise((resolve) => http.close(resolve)),
        new Promise<void>((resolve) => smtp.close(resolve)),
      ]);
    },
  };
}

/** Emails contain foreign HTML: they may have styles, but nothing that loads or runs. */
const emailPolicy = "default-src 'none'; style-src 'unsafe-inline'";
const pagePolicy = `${emailPolicy}; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

function handle(request: IncomingMessage, response: ServerResponse, emails: readonly CaughtEmail[], smtpUrl: string) {
  const send = (status: number, type: string, policy: string, body: string) =>
    response
      .writeHead(status, {
        'content-type': `${type}; charset=utf-8`,
        'content-security-policy': policy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer', // the URL of an email must not reach the sites it links to
        'cache-control': 'no-store',
      })
      .end(body);
  const newestFirst = emails.toReversed();
  const path = (request.url ?? '').split('?')[0] ?? '';
  if (path === '/') return send(200, 'text/html', pagePolicy, listPage(newestFirst, smtpUrl));
  if (path === '/messages') return send(200, 'application/json', emailPolicy, JSON.stringify(newestFirst));
  const [, id, part] = /^\/messages\/(\d+)(\/html)?$/.exec(path) ?? [];
  const message = emails.find((one) => one.id === id);
  if (!message) return send(404, 'text/html', pagePolicy, missingPage());
  if (part) return send(200, 'text/html', emailPolicy, message.html);
  return send(200, 'text/html', pagePolicy, messagePage(message));
}
