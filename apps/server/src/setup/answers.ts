import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { z } from 'zod';

/** One label at least before the top-level domain; `api.` and others are added in front. */
const domainName = /^(?=.{1,240}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;

export const Domain = z
  .string()
  .trim()
  .toLowerCase()
  .regex(domainName, 'must be a domain such as chat.example.com, without https:// and without a path');
export const SmtpUrl = z
  .string()
  .trim()
  .pipe(z.url({ protocol: /^smtps?$/, error: 'must look like smtps://user:password@mail.example.com:465' }));
const AdminName = z
  .string()
  .trim()
  .min(1, 'is required')
  .max(100)
  .regex(/^[^\p{Cc}'"\\$]*$/u, 'must not contain quotes');

const Answers = z
  .strictObject({
    domain: Domain,
    smtpUrl: SmtpUrl.optional(),
    adminEmail: z.email('must be an email address'),
    adminName: AdminName,
    tls: z.enum(['acme', 'internal', 'files']),
    tlsCertificate: z.string().includes(' CERTIFICATE-----', 'is not a PEM certificate').optional(),
    tlsKey: z.string().includes('PRIVATE KEY-----', 'is not a PEM key').optional(),
  })
  .refine(({ tls, tlsCertificate, tlsKey }) => tls !== 'files' || (tlsCertificate && tlsKey), {
    message: 'TLS with files needs --tls-certificate-file and --tls-key-file',
  });
export type Answers = z.infer<typeof Answers>;

export interface Flags {
  domain?: string | undefined;
  'smtp-url-file'?: string | undefined;
  'admin-email'?: string | undefined;
  'admin-name'?: string | undefined;
  tls?: string | undefined;
  'tls-certificate-file'?: string | undefined;
  'tls-key-file'?: string | undefined;
}

export type Ask = (question: string) => Promise<string>;

/** From flags, and from questions for what they leave open. Without `ask`, nothing is asked. */
export async function collectAnswers(flags: Flags, ask?: Ask): Promise<Answers> {
  const read = (file: string | undefined) => (file ? readFileSync(file, 'utf8').trim() : undefined);
  const given = {
    domain: flags.domain ?? (await ask?.('Domain, such as chat.example.com: ')),
    smtpUrl:
      read(flags['smtp-url-file']) ||
      (await ask?.('SMTP URL, such as smtps://user:password@mail.example.com:465 (leave blank to add it later): ')) ||
      undefined,
    ...(await collectAdmin(flags, ask)),
    tls: flags.tls ?? 'acme',
    tlsCertificate: read(flags['tls-certificate-file']),
    tlsKey: read(flags['tls-key-file']),
  };
  return Answers.parse(given);
}

async function collectAdmin(flags: Flags, ask?: Ask) {
  if (flags['admin-email'] !== undefined || !ask)
    return { adminEmail: flags['admin-email'], adminName: flags['admin-name'] ?? 'Admin' };
  const text = await ask('First admin, as Ada Lovelace <ada@example.com>: ');
  const [, name, email] = /^(.*)<([^<>]+)>$/.exec(text.trim()) ?? [];
  return { adminEmail: (email ?? text).trim(), adminName: name?.trim() || 'Admin' };
}

export async function withTerminal<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await work((question) => terminal.question(question));
  } finally {
    terminal.close();
  }
}
