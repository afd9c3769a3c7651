import { sql } from 'kysely';
import type { Tx } from './db.ts';
import { newId } from './ids.ts';
import type { PoolTx } from './pool.ts';

/** A hint on this channel, after the commit, spares an email the wait for the mailer's next look. */
export const emailsChannel = 'emails';

export interface Email {
  id: string;
  kind: string;
  recipient: string;
  data: Record<string, unknown>;
  /** This one included. */
  attempts: number;
}

export interface RenderedEmail {
  subject: string;
  text: string;
  html: string;
}

/**
 * Writes an email out at the moment it is sent. Null says that there is nothing to send any more, and counts as done.
 * Called again at every attempt, and an earlier one may have arrived without our knowing.
 */
export type EmailRenderer = (email: Email) => Promise<RenderedEmail | null>;

/** Keyed by the email's kind; each feature brings its own. */
export type EmailRenderers = Record<string, EmailRenderer>;

/**
 * Puts an email into the outbox, in the transaction of what it tells of. It holds no secret: whoever writes it out makes
 * its link at that moment. Works in a tenant's and in a pool's transaction.
 */
export const queueEmail = (tx: Tx | PoolTx, kind: string, recipient: string, data: Record<string, unknown>) =>
  sql`select directory.queue_email(${newId('email')}, ${kind}, ${recipient}, ${JSON.stringify(data)}::jsonb)`.execute(
    tx,
  );
