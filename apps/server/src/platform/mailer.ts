import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Services } from './context.ts';
import type { Email, EmailWriters } from './emails.ts';
import { describe, explain, isRefused, openSmtp } from './smtp.ts';
import { pollLoop } from './poll-loop.ts';
import type { Log } from './telemetry.ts';

interface MailerParts {
  services: Services;
  writers: EmailWriters;
  /** Without it emails wait. */
  smtpUrl: string | undefined;
  from: string;
  log: Log;
  /** Looks for due emails this often even when nobody woke it. */
  everyMs?: number;
  /** How long an email waits when its mailer died. Renewed while it is being sent. */
  leaseSeconds?: number;
  /** Emails in hand at a time, and connections to send them by: none waits in a queue while its lease runs. */
  batchSize?: number;
  /** After the first attempt, the second …; the last is kept. */
  retrySeconds?: readonly number[];
  maxAttempts?: number;
  /** When an attempt counts as failed although nobody said so. */
  longestSeconds?: number;
}

export interface Mailer {
  wake(): void;
  stop(): Promise<void>;
}

/**
 * Sends the emails of the outbox, each at least once: one that dies between the server's yes and our mark is sent
 * again, with the same Message-ID. Any number may run: an email is leased by one at a time.
 */
export function startMailer({
  services,
  writers,
  smtpUrl,
  from,
  log,
  everyMs = 2_000,
  leaseSeconds = 60,
  batchSize = 10,
  retrySeconds = [5, 30, 120, 600, 1_800, 3_600],
  maxAttempts: mostAttempts = 72,
  longestSeconds = 300,
}: MailerParts): Mailer {
  if (!smtpUrl) {
    log.warn('SMTP_URL is not set: emails stay queued');
    return { wake: () => {}, stop: async () => {} };
  }
  const smtp = openSmtp(smtpUrl, from, batchSize);

  /** Tries again after a while; null gives up. */
  const putOff = (id: string, why: string, seconds: number | null) =>
    sql`select directory.email_failed(${id}, ${why}, make_interval(secs => ${seconds}::float8))`.execute(services.db);

  async function attempt(email: Email): Promise<void> {
    const write = writers[email.kind];
    if (!write) throw new Error('no template for this kind of email'); // a newer worker does
    const written = await write(email);
    if (written) await smtp.send(email, written);
  }

  /** Renews the lease meanwhile, so that no other begins with an email that only takes its time. */
  async function attemptUnderLease(email: Email): Promise<void> {
    let renewed: Promise<unknown> = Promise.resolve();
    const keep = sql`select directory.keep_email(${email.id}, make_interval(secs => ${leaseSeconds}))`;
    const renew = () => (renewed = keep.execute(services.db).catch(() => {}));
    const renewing = setInterval(() => void renew(), (leaseSeconds * 1_000) / 3);
    const isOver = new AbortController();
    const limit = sleep(longestSeconds * 1_000, undefined, { signal: isOver.signal }).then(() => {
      throw new Error(`timed out after ${longestSeconds} s`);
    });
    try {
      await Promise.race([attempt(email), limit]);
    } finally {
      isOver.abort();
      clearInterval(renewing);
      await renewed; // or it would undo what is recorded next
    }
  }

  async function handle(email: Email): Promise<void> {
    const { id: emailId, kind, attempts } = email;
    try {
      await attemptUnderLease(email);
    } catch (error) {
      const line = { emailId, kind, attempts, error: describe(error) };
      const why = explain(error);
      if (isRefused(error) || attempts >= mostAttempts) {
        log.error(line, 'email failed permanently');
        await putOff(emailId, why, null);
        return;
      }
      const delay = retrySeconds[Math.min(attempts, retrySeconds.length) - 1] ?? 3_600;
      const retryInSeconds = delay * (0.8 + 0.4 * Math.random()); // else all that failed together come back together
      log.warn({ ...line, retryInSeconds }, 'email failed; retrying');
      await putOff(emailId, why, retryInSeconds);
      return;
    }
    await sql`select directory.email_sent(${emailId})`.execute(services.db);
    log.info({ emailId, kind, attempts }, 'email sent');
  }

  const { wake, stop } = pollLoop<Email>({
    max: batchSize,
    everyMs,
    take: async (room) => {
      const { rows } = await sql<Email>`
        select * from directory.lease_emails(${room}, make_interval(secs => ${leaseSeconds}::float8))`.execute(
        services.db,
      );
      return rows;
    },
    keyOf: ({ id }) => id,
    work: (email) =>
      // Its lease runs out, and then it is taken again.
      handle(email).catch((error: unknown) => {
        const { id: emailId, kind } = email;
        log.error({ emailId, kind, error: describe(error) }, 'recording the result of an email failed');
      }),
    onFault: (error) => log.warn({ err: error }, 'email poll failed; retrying'),
  });
  return { wake, stop: () => stop().then(() => smtp.close()) };
}
