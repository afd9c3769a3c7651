import type { Tx } from '../../../platform/db.ts';

// No `where tenantId` anywhere below: row-level security adds it.

export const addressEntry = 'reply_email.set';

export interface ReplyAddress {
  email: string;
  language: string;
}

/** The address that was left last; undefined if there is none, or it was erased. */
export async function findReplyAddress(tx: Tx, conversationId: string): Promise<ReplyAddress | undefined> {
  const row = await tx
    .selectFrom('conversationEvents')
    .select('payload')
    .where('conversationId', '=', conversationId)
    .where('type', '=', addressEntry)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  const payload = row?.payload as Partial<ReplyAddress> | undefined;
  return payload?.email && payload.language ? { email: payload.email, language: payload.language } : undefined;
}

/** Where the bot may be loaded. */
export const findAllowedOrigins = async (tx: Tx, botId: string): Promise<string[]> =>
  (await tx.selectFrom('bots').select('allowedOrigins').where('id', '=', botId).executeTakeFirst())?.allowedOrigins ??
  [];

export const findTenantName = async (tx: Tx): Promise<string> =>
  (await tx.selectFrom('tenants').select('name').executeTakeFirst())?.name ?? '';
