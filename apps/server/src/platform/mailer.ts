import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Services } from './context.ts';
import type { Email, EmailRenderers } from './emails.ts';
import { describeError, errorTextOf, isPermanentFailure, openSmtp } from './smtp.ts';
import { createCounter } from './metrics/instruments.ts';
import { pollLoop } from './poll-loop.ts';
import type { Log } from './telemetry.ts';

interface MailerDeps {
  services: Services;
  renderers: EmailRenderers;
  /** Without it, emails stay queued. */
  smtpUrl: string | undefined;
  from: string;
  log: Log;
  /** Poll interval without a wake. */
  everyMs?: number;
  /** How long an email is delayed if its mailer crashes. Renewed while it is being sent. */
  leaseSeconds?: number;
  /** Concurrent emails and SMTP connections, so that no leased email waits for a connection. */
  batchSize?: number;
  /** Delays after the first attempt, the second and so on. The last one repeats. */
  retrySeconds?: readonly number[];
  maxAttempts?: number;
  /** Timeout of one attempt. */
  timeoutSeconds?: number;
}

const emailsTotal = createCounter('parley_emails_total', 'Attempts to send an email, by their outcome.', {
  outcome: ['sent', 'retried', 'failed'],
});

export interface Mailer {
  wake(): void;
  stop(): Promise<void>;
}

/**
 * Sends the emails in the outbox, each at least once: after a crash between SMTP acceptance and our record, an email is
 * sent again with the same Message-ID. Several mailers can run: each email is leased by one at a time.
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

  /** Schedules a retry; null fails permanently. */
  const recordFailure = (id: string, why: string, seconds: number | null) =>
    sql`select directory.email_failed(${id}, ${why}, make_interval(secs => ${seconds}::float8))`.execute(services.db);

  async function attempt(email: Email): Promise<void> {
    const render = renderers[email.kind];
    if (!render) throw new Error('no template for this kind of email'); // a newer worker may have it
    const rendered = await render(email);
    if (rendered) await smtp.send(email, rendered);
  }

  /** Renews the lease during the attempt, so that no other mailer starts a slow email. */
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
      await renewed; // a late renewal would overwrite the result
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
        emailsTotal.inc({ outcome: 'failed' });
        log.error(fields, 'email failed permanently');
        await recordFailure(emailId, errorText, null);
        return;
      }
      const delay = retrySeconds[Math.min(attempts, retrySeconds.length) - 1] ?? 3_600;
      const retryInSeconds = delay * (0.8 + 0.4 * Math.random()); // jitter, so that emails that failed together are not retried together
      emailsTotal.inc({ outcome: 'retried' });
      log.warn({ ...fields, retryInSeconds }, 'email failed; retrying');
      await recordFailure(emailId, errorText, retryInSeconds);
      return;
    }
    await sql`select directory.email_sent(${emailId})`.execute(services.db);
    emailsTotal.inc({ outcome: 'sent' });
    log.info({ emailId, kind, attempts }, 'email sent');
  }

  const { wake, stop } = pollLoop<Email>({
    max: batchSize,
    everyMs,
    lease: async (capacity) => {
      const { rows } = await sql<Email>`
        select * from directory.lease_emails(${capacity}, make_interval(secs => ${leaseSeconds}::float8))`.execute(
        services.db,
      );
      return rows;
    },
    keyOf: ({ id }) => id,
    work: (email) =>
      // The email is leased again after its lease expires.
      handle(email).catch((error: unknown) => {
        const { id: emailId, kind } = email;
        log.error({ emailId, kind, error: describeError(error) }, 'recording the result of an email failed');
      }),
    onError: (error) => log.warn({ err: error }, 'email poll failed; retrying'),
  });
  return { wake, stop: () => stop().then(() => smtp.close()) };
}
