import { sql } from 'kysely';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { startMailCatcher, type MailCatcher } from '../../../tools/mail/index.ts';
import { queueEmail, type EmailRenderers } from '../src/platform/emails.ts';
import { startMailer } from '../src/platform/mailer.ts';
import { admin, services } from './harness.ts';

const lines: string[] = [];
const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
export const logged = (pattern: string | RegExp) => lines.filter((line) => line.search(pattern) >= 0);

/** What the emails of tests say; nothing else does, so that it can be looked for. */
export const bodyMarker = 'hush';
export const note: EmailRenderers = {
  note: async ({ data }) => ({
    subject: 'A note',
    text: `${bodyMarker} ${String(data['n'])}`,
    html: `<p>${bodyMarker}</p>`,
  }),
};

/** Does not know whoever's address begins with `gone`. */
export const mail = await startMailCatcher({
  max: 10_000,
  refuse: (recipient) => (recipient.startsWith('gone') ? '550 5.1.1 Nobody called gone here' : undefined),
});

/** One with little patience, until the test ends. */
export function aMailer(more: Partial<Parameters<typeof startMailer>[0]> = {}) {
  const mailer = startMailer({
    services,
    log,
    renderers: note,
    smtpUrl: mail.smtpUrl,
    from: 'Parley <no-reply@parley.example>',
    everyMs: 50,
    retrySeconds: [0.1],
    ...more,
  });
  onTestFinished(mailer.stop);
  return mailer;
}

let counter = 0;
/** Puts emails into the outbox, each to an address of its own. */
export async function queue(count: number, { kind = 'note', name = 'somebody' } = {}): Promise<string[]> {
  const addresses = Array.from({ length: count }, () => `${name}-${++counter}@example.com`);
  for (const [n, address] of addresses.entries())
    await services.db.transaction().execute((tx) => queueEmail(tx, kind, address, { n }));
  return addresses;
}
export const queueOne = async (more?: Parameters<typeof queue>[1]) => (await queue(1, more))[0] ?? '';

interface Row {
  attempts: number;
  isFailed: boolean;
  error: string | null;
  /** By the clock of the database, as is what time it is there. */
  dueSeconds: number;
  nowSeconds: number;
}
/** The email to that address, as it stands in the outbox. */
export async function emailTo(recipient: string): Promise<Row | undefined> {
  const { rows } = await sql<Row>`select attempts, failed_at is not null as is_failed, error,
    extract(epoch from due_at)::float8 as due_seconds, extract(epoch from clock_timestamp())::float8 as now_seconds
    from directory.emails where recipient = ${recipient}`.execute(admin);
  return rows[0];
}
export const attemptsFor = async (recipient: string) => (await emailTo(recipient))?.attempts;
export const queuedCount = async () => (await sql`select from directory.emails`.execute(admin)).rows.length;
export const emptyOutbox = () => sql`delete from directory.emails`.execute(admin);

/** For `expect.poll`, whose own patience is a second: less than a busy machine may need. */
export const pollOptions = { timeout: 30_000 };

/** How many emails came for each. */
export const receivedCounts = (addresses: readonly string[], from: MailCatcher = mail) =>
  addresses.map((address) => from.messages().filter(({ to }) => to.includes(address)).length);
export const oneEach = (addresses: readonly string[]) => addresses.map(() => 1);
