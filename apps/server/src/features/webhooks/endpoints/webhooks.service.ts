import { randomBytes } from 'node:crypto';
import { areBots } from '../../bots/index.ts';
import { readEntitlements, requireRoom } from '../../entitlements/index.ts';
import { encrypt } from '../../../platform/crypto.ts';
import type { Context } from '../../../platform/context.ts';
import { AppError, conflict, invalid, notFound, orNotFound, permissionMissing } from '../../../platform/errors.ts';
import { emit, publicEvents, readableEvents, type EventType } from '../../../platform/events.ts';
import { newId } from '../../../platform/ids.ts';
import { hintLanes } from '../../../platform/lane-hints.ts';
import { readCursor, toPage } from '../../../platform/lists.ts';
import { newHealth } from './health.ts';
import { toWebhooks, toWebhook } from './views.ts';
import { fingerprint } from '../delivery/signature.ts';
import { headersContext, inboundSecretContext, secretContext } from './targets.ts';
import type { CreateWebhook, Status, UpdateWebhook } from '../webhooks.contract.ts';
import * as events from '../webhooks.events.ts';
import * as store from './webhooks.store.ts';

/** Throws if a URL is not allowed. URLs are checked when saved, and again with each request. */
export type CheckUrl = (url: string) => void;

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const read = async ({ tx }: Context, id: string) => orNotFound('webhook', await store.find(tx, id));
const lock = async ({ tx }: Context, id: string) => orNotFound('webhook', await store.lock(tx, id));

export async function createWebhook(ctx: Context, { headers, ...input }: CreateWebhook, check: CheckUrl) {
  check(input.url);
  assertMayRead(ctx, input.eventTypes);
  await assertBots(ctx, input.botIds);
  await requireEnvironment(ctx, input.environmentId);
  await requireRoom(ctx, 'webhooks.max', () => store.count(ctx.tx));
  const id = newId('webhook');
  const encrypted = await encryptHeaders(ctx, id, headers);
  const createdBy = ctx.actor.id;
  await store.insert(ctx.tx, { ...input, ...readableBy(ctx), id, headers: encrypted, createdBy });
  const secret = await addSecret(ctx, id, 1);
  const webhook = await toWebhook(ctx, await read(ctx, id));
  await emit(ctx, events.webhookCreated, id, { object: webhook });
  return { webhook, secret };
}

/** An endpoint created by a server key only receives events that the key may read. */
const readableBy = ({ actor, permissions }: Context) => ({
  readableEventTypes: actor.type === 'api_key' ? readableEvents(permissions) : null,
});

const matchesPattern = (pattern: string, type: string) =>
  pattern === '*' || pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)));
type Subscription = Pick<store.Endpoint, 'eventTypes' | 'readableEventTypes'>;
const eventsSentTo = ({ eventTypes, readableEventTypes }: Subscription) =>
  publicEvents().filter(
    ({ type }) =>
      (readableEventTypes === null || readableEventTypes.includes(type)) &&
      eventTypes.some((pattern) => matchesPattern(pattern, type)),
  );

const isReadableFor =
  ({ permissions }: Context) =>
  ({ permission }: EventType<unknown>) =>
    permission !== null && permissions.has(permission);

/** A key that names events it may not read would never receive any. */
function assertMayRead(ctx: Context, eventTypes: readonly string[]) {
  if (ctx.actor.type !== 'api_key') return;
  const missing = eventTypes.flatMap((pattern) => {
    const named = publicEvents().filter(({ type }) => matchesPattern(pattern, type));
    return named.some(isReadableFor(ctx)) ? [] : (named[0]?.permission ?? []);
  });
  if (missing.length > 0)
    throw permissionMissing([...new Set(missing)], 'Add them to the key to subscribe to these events.');
}

/** Otherwise a key could send events it may not read to its own URL. */
function assertReadsAllSent(ctx: Context, endpoint: Subscription) {
  if (ctx.actor.type !== 'api_key') return;
  const hidden = eventsSentTo(endpoint).filter((event) => !isReadableFor(ctx)(event));
  const missing = [...new Set(hidden.flatMap(({ permission }) => permission ?? []))];
  if (hidden.length > 0)
    throw permissionMissing(
      missing,
      'This endpoint receives such events: change it in the portal, or create one with this key.',
    );
}

/** Plans without `live_webhooks` include endpoints for test environments only. */
async function requireEnvironment(ctx: Context, environmentId: string | null) {
  const { entitlements } = await readEntitlements(ctx);
  if (entitlements.live_webhooks > 0) return;
  if (environmentId !== null && !(await store.isLiveEnvironment(ctx.tx, environmentId))) return;
  throw new AppError(
    'FEATURE_NOT_ENTITLED',
    'live_webhooks_not_included',
    "Your plan includes webhooks for test environments. Set 'environmentId' to one of them, or upgrade.",
  );
}

async function assertBots({ tx }: Context, botIds: readonly string[]) {
  if (!(await areBots(tx, botIds))) throw notFound('bot');
}

const encryptHeaders = async (ctx: Context, id: string, headers: Record<string, string>) =>
  Object.keys(headers).length > 0 ? encrypt(ctx, headersContext(id), JSON.stringify(headers)) : null;

async function addSecret(ctx: Context, webhookId: string, version: number): Promise<string> {
  const secret = newSecret();
  const encrypted = await encrypt(ctx, secretContext(webhookId, version), secret);
  await store.insertSecret(ctx.tx, { webhookId, version, encrypted, hint: fingerprint(secret) });
  return secret;
}

export async function listWebhooks(
  ctx: Context,
  { status, cursor, limit }: { status?: Status | undefined; cursor?: string | undefined; limit: number },
) {
  const rows = await store.list(ctx.tx, { status, before: readCursor(cursor), limit: limit + 1 });
  const { data, nextCursor } = toPage(rows, limit);
  return { data: await toWebhooks(ctx, data), nextCursor };
}

export const getWebhook = async (ctx: Context, id: string) => ({ webhook: await toWebhook(ctx, await read(ctx, id)) });

export async function updateWebhook(ctx: Context, id: string, { headers, ...change }: UpdateWebhook, check: CheckUrl) {
  const endpoint = await lock(ctx, id);
  const { url, headers: currentHeaders } = endpoint;
  assertReadsAllSent(ctx, endpoint);
  if (change.eventTypes) assertMayRead(ctx, change.eventTypes);
  if (change.url !== undefined) check(change.url);
  // Otherwise anyone who can change the URL could have the hidden header values sent to their own server.
  if (currentHeaders && headers === undefined && change.url !== undefined && change.url !== url)
    throw invalid('headers_required', [
      { path: '/headers', message: 'When you change the URL, send the custom headers again, or {} for none.' },
    ]);
  if (change.botIds) await assertBots(ctx, change.botIds);
  if (change.environmentId !== undefined) await requireEnvironment(ctx, change.environmentId);
  const encrypted = headers && { headers: await encryptHeaders(ctx, id, headers) };
  if (Object.keys(change).length > 0 || encrypted)
    await store.update(ctx.tx, id, { ...change, ...encrypted, ...readableBy(ctx) });
  const webhook = await toWebhook(ctx, await read(ctx, id));
  await emit(ctx, events.webhookUpdated, id, { object: webhook });
  hintChange(ctx, id);
  return { webhook };
}

export async function deleteWebhook(ctx: Context, id: string) {
  const webhook = await toWebhook(ctx, await lock(ctx, id));
  await store.remove(ctx.tx, id);
  hintChange(ctx, id);
  await emit(ctx, events.webhookDeleted, id, { object: webhook });
  return { webhook };
}

export async function rotateSecret(
  ctx: Context,
  id: string,
  { overlapSeconds, force }: { overlapSeconds: number; force: boolean },
) {
  const { secrets } = await lock(ctx, id); // serializes concurrent rotations
  const [newest, previous] = secrets;
  if (!newest) throw new Error('endpoint has no secret');
  if (previous && !force)
    throw conflict(
      'rotation_in_progress',
      'The last rotation is still in progress. Wait for it to finish, or send `force: true` to end its older secret now.',
    );
  if (previous) await store.expireSecret(ctx.tx, id, previous.version, ctx.now);
  await store.deleteExpiredSecrets(ctx.tx, id);
  const previousExpiresAt = new Date(ctx.now.getTime() + overlapSeconds * 1_000);
  await store.expireSecret(ctx.tx, id, newest.version, previousExpiresAt);
  const secret = await addSecret(ctx, id, newest.version + 1);
  const webhook = await toWebhook(ctx, await read(ctx, id));
  await emit(ctx, events.webhookSecretRotated, id, { object: webhook, previousExpiresAt });
  hintChange(ctx, id);
  return { webhook, secret, previousExpiresAt };
}

export async function pauseWebhook(ctx: Context, id: string) {
  const endpoint = await lock(ctx, id);
  if (endpoint.status !== 'paused') await store.updateState(ctx.tx, id, { status: 'paused', disabledReason: null });
  hintChange(ctx, id);
  return emitUpdated(ctx, id);
}

/** Also for a disabled or broken endpoint. Resets its health. */
export async function resumeWebhook(ctx: Context, id: string) {
  const { status, health } = await lock(ctx, id);
  if (status !== 'active') {
    const isPaced = status === 'disabled';
    await store.updateState(ctx.tx, id, {
      status: 'active',
      disabledReason: null,
      health: { ...newHealth(), concurrency: Math.min(health.concurrency, 10), isPaced },
    });
  }
  hintChange(ctx, id);
  return emitUpdated(ctx, id);
}

async function emitUpdated(ctx: Context, id: string) {
  const webhook = await toWebhook(ctx, await read(ctx, id));
  await emit(ctx, events.webhookUpdated, id, { object: webhook });
  return { webhook };
}

/** Tells the worker that delivers to this endpoint to read it again. */
export const hintChange = ({ tenantId, notify, afterCommit }: Context, id: string) =>
  afterCommit(() => hintLanes(notify, tenantId, [id], { isChanged: true }));

export async function makeInboundSecret(ctx: Context, id: string) {
  await lock(ctx, id);
  const secret = newSecret();
  await store.setInboundSecret(ctx.tx, id, await encrypt(ctx, inboundSecretContext(id), secret));
  const webhook = await toWebhook(ctx, await read(ctx, id));
  await emit(ctx, events.webhookInboundSecretCreated, id, { object: webhook });
  return { webhook, secret };
}

export const urlNotAllowed = (message: string) =>
  new AppError('VALIDATION_ERROR', 'url_not_allowed', 'Some fields are not valid. See details.', {
    details: [{ path: '/url', message }],
  });
