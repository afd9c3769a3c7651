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

/** A unique text in all test emails, to search logs for. */
export const bodyMarker = 'hush';
export const note: EmailRenderers = {
  note: async ({ data }) => ({
    subject: 'A note',
    text: `${bodyMarker} ${String(data['n'])}`,
    html: `<p>${bodyMarker}</p>`,
  }),
};

/** Rejects recipients that start with `gone`. */
export const mail = await startMailCatcher({
  max: 10_000,
  refuse: (recipient) => (recipient.startsWith('gone') ? '550 5.1.1 Nobody called gone here' : undefined),
});

/** A mailer with short intervals, stopped when the test ends. */
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
/** Adds emails to the outbox, each with its own recipient. */
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
  /** By the clock of the database, like `nowSeconds`. */
  dueSeconds: number;
  nowSeconds: number;
}
/** The outbox row of the email to that recipient. */
export async function emailTo(recipient: string): Promise<Row | undefined> {
  const { rows } = await sql<Row>`select attempts, failed_at is not null as is_failed, error,
    extract(epoch from due_at)::float8 as due_seconds, extract(epoch from clock_timestamp())::float8 as now_seconds
    from directory.emails where recipient = ${recipient}`.execute(admin);
  return rows[0];
}
export const attemptsFor = async (recipient: string) => (await emailTo(recipient))?.attempts;
export const queuedCount = async () => (await sql`select from directory.emails`.execute(admin)).rows.length;
export const emptyOutbox = () => sql`delete from directory.emails`.execute(admin);

/** For `expect.poll`, whose default timeout of one second is too short for a busy machine. */
export const pollOptions = { timeout: 30_000 };

/** The number of emails received by each recipient. */
export const receivedCounts = (addresses: readonly string[], from: MailCatcher = mail) =>
  addresses.map((address) => from.messages().filter(({ to }) => to.includes(address)).length);
export const oneEach = (addresses: readonly string[]) => addresses.map(() => 1);
