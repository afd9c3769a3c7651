import { Redis } from 'iovalkey';
import { inject } from 'vitest';
import { BotContent } from '../../src/features/bots/bot-content.contract.ts';
import { acceptMessage } from '../../src/features/conversations/visitor/accept.ts';
import { append } from '../../src/features/conversations/log/log.store.ts';
import { updateTurn } from '../../src/features/conversations/conversations.store.ts';
import { plans } from '../../src/features/entitlements/plans.ts';
import { reserveSpend } from '../../src/features/usage/index.ts';
import { createTokens } from '../../src/features/widget-sessions/session-token.ts';
import type { VisitorSession } from '../../src/platform/context.ts';
import { newId } from '../../src/platform/ids.ts';
import { aBot, aVisitor, page, type TestBot } from '../chat/fixture.ts';
import { admin, aSessionKey, api, services, inside, type Headers, type TestTenant, afterOwnFile } from '../harness.ts';
import { argsHash, askConfirmation, plantRun } from './actions.ts';

// A bot on a page, and visitors who have talked to it: a row in every table of the chat feature.

export const tokens = createTokens(services.keyring);

/** Headers of a session on the page where it was opened. */
export const atPage = (sessionToken: string): Headers => ({ authorization: `Bearer ${sessionToken}`, origin: page });

const { enterprise } = plans;

/** Sends a message and records the bot's reply, with every row that a turn leaves. */
export async function talk(session: VisitorSession, text: string) {
  return inside(session.tenantId, async (ctx) => {
    const { conversationId, message, turnId } = await acceptMessage(ctx, session, { message: text }, enterprise);
    if (!turnId) throw new Error('this conversation is assigned to an agent');
    const { tx } = ctx;
    const { replyId } = await tx
      .selectFrom('turns')
      .select('replyId')
      .where('id', '=', turnId)
      .executeTakeFirstOrThrow();
    const payload = { role: 'bot', text, citations: [], isAnswer: true, isHandoffOffered: false, finish: 'complete' };
    await append(ctx, conversationId, [{ type: 'reply.completed', messageId: replyId, turnId, payload }]);
    const { id: runId } = await askConfirmation(ctx, session, conversationId);
    await updateTurn(tx, conversationId, turnId, { status: 'done', mode: 'model' });
    await tx
      .insertInto('turnSteps')
      .values({ conversationId, turnId, name: 'model', result: JSON.stringify({ text }) })
      .execute();
    const budget = { botId: session.botId, visitorId: session.visitorId, perBot: 5, perVisitor: 5, perTenant: 5 };
    await reserveSpend(ctx, `${turnId}/model`, 1, budget);
    return { conversationId, messageId: message.id, replyId, runId };
  });
}

export async function aTalkingVisitor(bot: TestBot, text: string) {
  const { sessionToken, visitorToken } = await aVisitor(api.app, bot);
  const session = await tokens.readSession(sessionToken);
  return { session, sessionToken, visitorToken, headers: atPage(sessionToken), ...(await talk(session, text)) };
}

/** A contact that the tenant's own backend has authenticated. */
export async function aTalkingContact(
  tenant: TestTenant,
  {
    text,
    externalUserId = 'user-1',
    environmentId = tenant.environmentId,
  }: { text: string; externalUserId?: string; environmentId?: string },
) {
  const key = await aSessionKey(tenant);
  const { tenantId, workspaceId, botId } = tenant;
  const contact = { externalUserId, email: 'contact@example.com' };
  const response = await key.post('/widget/sessions/authenticated', {
    tenantId,
    workspaceId,
    environmentId,
    botId,
    ...contact,
  });
  if (response.statusCode !== 200) throw new Error(response.body);
  const { sessionToken } = response.json<{ sessionToken: string }>();
  const session = await tokens.readSession(sessionToken);
  return { session, sessionToken, keyId: key.id, headers: atPage(sessionToken), ...(await talk(session, text)) };
}

/** One object of each kind, containing the text; one conversation is assigned to the owner. */
export async function aChat(tenant: TestTenant, text: string) {
  const bot = await aBot(tenant, { title: text.slice(0, 60) });
  const [visitor, waiting] = [await aTalkingVisitor(bot, text), await aTalkingVisitor(bot, text)];
  const contact = await aTalkingContact(tenant, { text });
  const claimed = await tenant.post(`/conversations/${waiting.conversationId}/claim`, {});
  const tried = await tenant.post(`/bots/${bot.botId}/try`);
  for (const { statusCode, body } of [claimed, tried]) if (statusCode !== 200) throw new Error(body);
  const { sessionToken } = tried.json<{ sessionToken: string }>();
  await admin
    .insertInto('knowledgeFiles')
    .values({
      tenantId: tenant.tenantId,
      sourceId: bot.sourceId,
      name: text,
      mediaType: 'text/plain',
      content: Buffer.from(text),
    })
    .execute();
  return { bot, visitor, contact, tried: { headers: { authorization: `Bearer ${sessionToken}` } } };
}
export type TestChat = Awaited<ReturnType<typeof aChat>>;

/** Inserts only the rows of a published bot: fast, for tests that only need ids. */
export async function plantChat({ tenantId, botId, environmentId, userId }: TestTenant) {
  const [versionId, visitorId, contactId] = [newId('botVersion'), newId('visitor'), newId('contact')];
  const content = { ...BotContent.parse({}), knowledgeSourceIds: [] };
  const here = { tenantId, botId, environmentId };
  await admin
    .insertInto('botVersions')
    .values({
      tenantId,
      id: versionId,
      botId,
      number: 1,
      contentHash: Buffer.from(versionId),
      content: JSON.stringify(content),
      createdBy: userId,
    })
    .execute();
  await admin
    .insertInto('visitors')
    .values({ ...here, id: visitorId, label: 'visitor' })
    .execute();
  await admin
    .insertInto('contacts')
    .values({
      tenantId,
      environmentId,
      id: contactId,
      externalUserId: contactId,
      email: 'contact@example.com',
    })
    .execute();
  const states = ['bot', 'waiting_human', 'human', 'human', 'closed'] as const;
  const conversations = await Promise.all(
    states.map((state) =>
      plantConversation({ ...here, versionId, visitorId, contactId }, { state, assigneeId: userId }),
    ),
  );
  const sources = await Promise.all((['text', 'file', 'qa'] as const).map((kind) => plantSource(here, kind)));
  const models = await Promise.all([1, 2, 3, 4].map(() => plantModel(tenantId)));
  return [versionId, contactId, ...conversations.flat(), ...sources.flat(), ...models];
}

interface BotScope {
  tenantId: string;
  botId: string;
  environmentId: string;
}
interface Owner {
  versionId: string;
  visitorId: string;
  contactId: string | null;
}

/** A conversation with a question, its reply and a pending confirmation. Returns all their ids. */
export async function plantConversation(
  { tenantId, botId, environmentId, versionId, visitorId, contactId }: BotScope & Owner,
  { state, assigneeId = null }: { state: 'bot' | 'waiting_human' | 'human' | 'closed'; assigneeId?: string | null },
) {
  const [id, ...messages] = [newId('conversation'), newId('message'), newId('message')];
  const assignee = state === 'human' ? assigneeId : null;
  const expiresAt = new Date(Date.now() + 86_400_000);
  await admin
    .insertInto('conversations')
    .values({
      tenantId,
      id,
      botId,
      environmentId,
      versionId,
      visitorId,
      contactId,
      state,
      assigneeId: assignee,
      lastSeq: 3,
      messageCount: 2,
      expiresAt,
    })
    .execute();
  const messageEvents = messages.map((messageId, n) => ({
    tenantId,
    conversationId: id,
    seq: n + 1,
    type: n === 0 ? 'message.created' : 'reply.completed',
    messageId,
    payload: JSON.stringify({ role: n === 0 ? 'visitor' : 'bot', text: 'Hello' }),
  }));
  const runId = await plantRun(
    { tenantId, botId, environmentId },
    { state: 'awaiting_confirmation', conversationId: id },
  );
  const payload = {
    runId,
    argsHash,
    title: 'Cancel the order?',
    fields: [{ label: 'Order', value: '4711' }],
    expiresAt: expiresAt.toISOString(),
  };
  const confirmation = { type: 'confirmation.required', payload: JSON.stringify(payload) };
  await admin
    .insertInto('conversationEvents')
    .values([...messageEvents, { tenantId, conversationId: id, seq: 3, messageId: null, ...confirmation }])
    .execute();
  return [id, ...messages, runId] as const;
}

export async function plantModel(tenantId: string) {
  const id = newId('model');
  const prices = { inputPrice: 1, outputPrice: 1 };
  await admin
    .insertInto('models')
    .values({ tenantId, id, name: id, provider: 'openai', model: 'm', createdBy: 'test', ...prices })
    .execute();
  return id;
}

const configs = {
  text: { text: 'Hello' },
  file: { fileName: 'hello.txt' },
  qa: { pairs: [{ question: 'Hello?', answer: 'Hello' }] },
};

/** A source with a document. Returns both ids. */
export async function plantSource(
  { tenantId, botId }: Pick<BotScope, 'tenantId' | 'botId'>,
  kind: keyof typeof configs,
) {
  const [id, documentId] = [newId('knowledgeSource'), newId('knowledgeDocument')];
  await admin
    .insertInto('knowledgeSources')
    .values({ tenantId, id, botId, kind, name: 'Planted', config: JSON.stringify(configs[kind]), createdBy: 'test' })
    .execute();
  await admin
    .insertInto('knowledgeDocuments')
    .values({ tenantId, id: documentId, sourceId: id, location: 'here', syncId: 'sync' })
    .execute();
  return [id, documentId] as const;
}

/** Without the server's short timeouts: scanning all keys takes longer. */
const valkey = new Redis(inject('valkeyUrl'));
afterOwnFile(async () => valkey.disconnect());
/** Resets rate limits, so that many requests a minute do not all return 429. */
export async function resetLimitsOf(...contact: string[]) {
  for (const one of contact) {
    const counts = await valkey.keys(`*rate:*${one}`);
    if (counts.length > 0) await valkey.del(counts);
  }
}
