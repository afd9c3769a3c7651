import { sql } from 'kysely';
import type { Tx } from './db.ts';
import { newId } from './ids.ts';
import type { PoolTx } from './pool.ts';

/** A hint on this channel, after the commit, wakes the mailer before its next poll. */
export const emailsChannel = 'emails';

export interface Email {
  id: string;
  kind: string;
  recipient: string;
  data: Record<string, unknown>;
  /** Including the current one. */
  attempts: number;
}

export interface RenderedEmail {
  subject: string;
  text: string;
  html: string;
}

/**
 * Renders an email when it is sent. Returns null if it is no longer needed, which removes it from the outbox. Called for
 * every attempt; an earlier attempt may have been delivered without confirmation.
 */
export type EmailRenderer = (email: Email) => Promise<RenderedEmail | null>;

/** Keyed by the kind of email; each feature defines its own. */
export type EmailRenderers = Record<string, EmailRenderer>;

/**
 * Adds an email to the outbox, in the transaction of the change it reports. It contains no secret: links are created when
 * it is rendered. Works in a tenant's and in a pool's transaction.
 */
export const queueEmail = (tx: Tx | PoolTx, kind: string, recipient: string, data: Record<string, unknown>) =>
  sql`select directory.queue_email(${newId('email')}, ${kind}, ${recipient}, ${JSON.stringify(data)}::jsonb)`.execute(
    tx,
  );

/** The same, written after `seconds`: its renderer then decides whether it is still needed. */
export const queueDelayedEmail = (
  tx: Tx,
  kind: string,
  recipient: string,
  data: Record<string, unknown>,
  seconds: number,
) =>
  sql`select directory.queue_delayed_email(${newId('email')}, ${kind}, ${recipient}, ${JSON.stringify(data)}::jsonb,
    make_interval(secs => ${seconds}))`.execute(tx);
