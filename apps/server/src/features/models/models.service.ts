import type { Context } from '../../platform/context.ts';
import { encrypt, decrypt } from '../../platform/crypto.ts';
import { invalid, orNotFound } from '../../platform/errors.ts';
import { emit } from '../../platform/events.ts';
import { newId } from '../../platform/ids.ts';
import type { ListQuery } from '../../platform/lists.contract.ts';
import { readCursor, toPage } from '../../platform/lists.ts';
import { encryptionContextOf, type EncryptedColumn } from '../../platform/encrypted-columns.ts';
import type { CreateModel, Model, UpdateModel } from './models.contract.ts';
import * as events from './models.events.ts';
import * as store from './models.store.ts';

export async function createModel(ctx: Context, { apiKey, ...input }: CreateModel) {
  assertBaseUrl(input);
  const id = newId('model');
  const encryptedKey = await encryptKey(ctx, id, apiKey);
  await store.insert(ctx.tx, { ...input, id, encryptedKey, createdBy: ctx.actor.id });
  const model = await read(ctx, id);
  await emit(ctx, events.modelCreated, id, { object: model });
  return { model };
}

export const listModels = async ({ tx }: Context, { cursor, limit }: ListQuery) =>
  toPage(await store.list(tx, readCursor(cursor), limit + 1), limit);

export const getModel = async (ctx: Context, id: string) => ({ model: await read(ctx, id) });

export async function updateModel(ctx: Context, id: string, { apiKey, ...change }: UpdateModel) {
  await store.lock(ctx.tx, id);
  const before = await read(ctx, id);
  const after = { ...before, ...change } as Model;
  assertBaseUrl(after);
  if (before.hasKey && apiKey === undefined) assertSameProvider(before, after);

  const { name, provider, baseUrl, model, inputPrice, outputPrice } = after;
  const encryptedKey =
    apiKey === undefined ? await store.findEncryptedKey(ctx.tx, id) : await encryptKey(ctx, id, apiKey);
  await store.update(ctx.tx, id, { name, provider, baseUrl, model, inputPrice, outputPrice, encryptedKey });
  const changed = await read(ctx, id);
  await emit(ctx, events.modelUpdated, id, { object: changed });
  return { model: changed };
}

/** Bots that use it fall back to their next model, or quote their knowledge. */
export async function deleteModel(ctx: Context, id: string) {
  await store.lock(ctx.tx, id);
  const model = await read(ctx, id);
  await store.remove(ctx.tx, id);
  await emit(ctx, events.modelDeleted, id, { object: model });
  return { model };
}

export interface ModelWithKey extends Pick<Model, 'provider' | 'baseUrl' | 'model' | 'inputPrice' | 'outputPrice'> {
  apiKey: string | null;
}

/** Includes the decrypted API key. Use it only for calls to the provider: never store or return it. */
export async function openModel(
  ctx: Pick<Context, 'tx' | 'tenantId' | 'keyring'>,
  id: string,
): Promise<ModelWithKey | undefined> {
  const found = await store.find(ctx.tx, id);
  if (!found) return undefined;
  const encrypted = await store.findEncryptedKey(ctx.tx, id);
  const { provider, baseUrl, model, inputPrice, outputPrice } = found;
  const apiKey = encrypted && (await decrypt(ctx, keyContext(id), encrypted));
  return { provider, baseUrl, model, apiKey, inputPrice, outputPrice };
}

export const encryptedModelKeys: EncryptedColumn = {
  table: 'models',
  column: 'encrypted_key',
  keys: ['id'],
  purpose: 'model-key',
};
const keyContext = (id: string) => encryptionContextOf(encryptedModelKeys, id);

const encryptKey = async (ctx: Context, id: string, apiKey: string | null) =>
  apiKey === null ? null : encrypt(ctx, keyContext(id), apiKey);

const read = async ({ tx }: Context, id: string) => orNotFound('model', await store.find(tx, id));

function assertBaseUrl({ provider, baseUrl }: Pick<Model, 'provider' | 'baseUrl'>) {
  const isNeeded = provider === 'openai-compatible';
  if (isNeeded === (baseUrl !== null)) return;
  throw isNeeded
    ? invalid('base_url_required', [{ path: '/baseUrl', message: 'Set the base URL of this provider.' }])
    : invalid('base_url_not_allowed', [
        { path: '/baseUrl', message: `The base URL of '${provider}' is built in. Leave it out.` },
      ]);
}

/** Without this check, a user who may edit a model could send its stored key to their own server. */
function assertSameProvider(before: Model, after: Model) {
  if (before.provider === after.provider && before.baseUrl === after.baseUrl) return;
  throw invalid('provider_key_required', [
    {
      path: '/apiKey',
      message: 'The stored API key belongs to another URL. Send the key for this one, or null for none.',
    },
  ]);
}
