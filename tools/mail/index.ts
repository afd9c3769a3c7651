import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { listPage, messagePage, missingPage } from './pages.ts';

export interface Caught {
  id: string;
  /** Whom the server was told to deliver to, whatever the email itself says. */
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
  messages(): Caught[];
  /** The oldest one that fits and was not given out by an earlier call; waited for if it has not come yet. */
  next(fits: (message: Caught) => boolean, timeoutMs?: number): Promise<Caught>;
  stop(): Promise<void>;
}

interface CatcherParts {
  smtpPort?: number;
  httpPort?: number;
  /** How many emails, the newest, are kept. */
  max?: number;
  /** Turns a recipient away, in the words of SMTP: `550 5.1.1 No such mailbox`. */
  refuse?: (recipient: string) => string | undefined;
}

const host = '127.0.0.1';

/** A real SMTP server that delivers nothing: it keeps the newest emails in memory and shows them on a page. */
export async function startMailCatcher({
  smtpPort = 0,
  httpPort = 0,
  max: most = 200,
  refuse = () => undefined,
}: CatcherParts = {}): Promise<MailCatcher> {
  const kept: Caught[] = [];
  const given = new Set<string>();
  const waiting = new Set<() => void>();
  let count = 0;

  async function keep(raw: Buffer, to: string[], sender: string) {
    const { subject = '', text = '', html = '', messageId = '', from } = await PostalMime.parse(raw);
    count += 1;
    const receivedAt = new Date().toISOString();
    kept.push({ id: String(count), to, from: from?.address ?? sender, subject, text, html, messageId, receivedAt });
    if (kept.length > most) given.delete(kept.shift()?.id ?? '');
    for (const look of waiting) look();
  }

  const smtp = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    size: 10_000_000,
    closeTimeout: 100,
    onRcptTo: ({ address }, _session, callback) => {
      const [, code, words] = /^(\d{3}) (.*)$/.exec(refuse(address) ?? '') ?? [];
      callback(code ? Object.assign(new Error(words), { responseCode: Number(code) }) : null);
    },
    onData: (stream, { envelope: { mailFrom, rcptTo } }, callback) => {
      const to = rcptTo.map(({ address }) => address);
      buffer(stream)
        .then((raw) => keep(raw, to, mailFrom ? mailFrom.address : ''))
        .then(() => callback(null), callback);
    },
  });
  smtp.on('error', () => {}); // a client that was cut off: its email did not come, and it knows
  await new Promise<void>((resolve, reject) => {
    smtp.server.once('error', reject);
    smtp.listen(smtpPort, host, resolve);
  });
  const smtpUrl = `smtp://${host}:${(smtp.server.address() as AddressInfo).port}`;

  const http = createServer((request, response) => answer(request, response, kept, smtpUrl));
  await new Promise<void>((resolve, reject) => http.once('error', reject).listen(httpPort, host, resolve));

  return {
    smtpUrl,
    mailUrl: `http://${host}:${(http.address() as AddressInfo).port}`,
    messages: () => [...kept],
    next: (fits, timeoutMs = 10_000) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = kept.find((message) => !given.has(message.id) && fits(message));
          if (!found) return;
          given.add(found.id);
          clearTimeout(timer);
          waiting.delete(look);
          resolve(found);
        };
        const timer = setTimeout(() => {
          waiting.delete(look);
          const came = kept.map(({ to, subject }) => `- ${to.join(', ')}: ${subject}`).join('\n') || '- none';
          reject(new Error(`no matching email within ${timeoutMs} ms. Received emails:\n${came}`));
        }, timeoutMs);
        waiting.add(look);
        look();
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

/** An email is somebody else's HTML: it may bring its own styles and nothing that loads or runs. */
const emailPolicy = "default-src 'none'; style-src 'unsafe-inline'";
const pagePolicy = `${emailPolicy}; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

function answer(request: IncomingMessage, response: ServerResponse, kept: readonly Caught[], smtpUrl: string) {
  const send = (status: number, type: string, policy: string, body: string) =>
    response
      .writeHead(status, {
        'content-type': `${type}; charset=utf-8`,
        'content-security-policy': policy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer', // an address of an email's link is not told to where it leads
        'cache-control': 'no-store',
      })
      .end(body);
  const newestFirst = kept.toReversed();
  const path = (request.url ?? '').split('?')[0] ?? '';
  if (path === '/') return send(200, 'text/html', pagePolicy, listPage(newestFirst, smtpUrl));
  if (path === '/messages') return send(200, 'application/json', emailPolicy, JSON.stringify(newestFirst));
  const [, id, part] = /^\/messages\/(\d+)(\/html)?$/.exec(path) ?? [];
  const message = kept.find((one) => one.id === id);
  if (!message) return send(404, 'text/html', pagePolicy, missingPage());
  if (part) return send(200, 'text/html', emailPolicy, message.html);
  return send(200, 'text/html', pagePolicy, messagePage(message));
}
