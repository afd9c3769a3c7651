import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Services } from './context.ts';
import type { Email, EmailRenderers } from './emails.ts';
import { describeError, errorTextOf, isPermanentFailure, openSmtp } from './smtp.ts';
import { pollLoop } from './poll-loop.ts';
import type { Log } from './telemetry.ts';

interface MailerDeps {
  services: Services;
  renderers: EmailRenderers;
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
  timeoutSeconds?: number;
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
  renderers,
  smtpUrl,
  from,
  log,
  everyMs = 2_000,
  leaseSeconds = 60,
  batchSize = 10,
  retrySeconds = [5, 30, 120, 600, 1_800, 3_600],
  maxAttempts = 72,
  timeoutSeconds = 300,
}: MailerDeps): Mailer {
  if (!smtpUrl) {
    log.warn('SMTP_URL is not set: emails stay queued');
    return { wake: () => {}, stop: async () => {} };
  }
  const smtp = openSmtp(smtpUrl, from, batchSize);

  /** Tries again after a while; null gives up. */
  const recordFailure = (id: string, why: string, seconds: number | null) =>
    sql`select directory.email_failed(${id}, ${why}, make_interval(secs => ${seconds}::float8))`.execute(services.db);

  async function attempt(email: Email): Promise<void> {
    const render = renderers[email.kind];
    if (!render) throw new Error('no template for this kind of email'); // a newer worker does
    const rendered = await render(email);
    if (rendered) await smtp.send(email, rendered);
  }

  /** Renews the lease meanwhile, so that no other begins with an email that only takes its time. */
  async function attemptUnderLease(email: Email): Promise<void> {
    let renewed: Promise<unknown> = Promise.resolve();
    const renewLease = sql`select directory.keep_email(${email.id}, make_interval(secs => ${leaseSeconds}))`;
    const renew = () => (renewed = renewLease.execute(services.db).catch(() => {}));
    const renewing = setInterval(() => void renew(), (leaseSeconds * 1_000) / 3);
    const finished = new AbortController();
    const limit = sleep(timeoutSeconds * 1_000, undefined, { signal: finished.signal }).then(() => {
      throw new Error(`timed out after ${timeoutSeconds} s`);
    });
    try {
      await Promise.race([attempt(email), limit]);
    } finally {
      finished.abort();
      clearInterval(renewing);
      await renewed; // or it would undo what is recorded next
    }
  }

  async function handle(email: Email): Promise<void> {
    const { id: emailId, kind, attempts } = email;
    try {
      await attemptUnderLease(email);
    } catch (error) {
      const fields = { emailId, kind, attempts, error: describeError(error) };
      const errorText = errorTextOf(error);
      if (isPermanentFailure(error) || attempts >= maxAttempts) {
        log.error(fields, 'email failed permanently');
        await recordFailure(emailId, errorText, null);
        return;
      }
      const delay = retrySeconds[Math.min(attempts, retrySeconds.length) - 1] ?? 3_600;
      const retryInSeconds = delay * (0.8 + 0.4 * Math.random()); // else all that failed together come back together
      log.warn({ ...fields, retryInSeconds }, 'email failed; retrying');
      await recordFailure(emailId, errorText, retryInSeconds);
      return;
    }
    await sql`select directory.email_sent(${emailId})`.execute(services.db);
    log.info({ emailId, kind, attempts }, 'email sent');
  }

  const { wake, stop } = pollLoop<Email>({
    max: batchSize,
    everyMs,
    lease: async (room) => {
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
        log.error({ emailId, kind, error: describeError(error) }, 'recording the result of an email failed');
      }),
    onError: (error) => log.warn({ err: error }, 'email poll failed; retrying'),
  });
  return { wake, stop: () => stop().then(() => smtp.close()) };
}
