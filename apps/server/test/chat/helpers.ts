import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { inject } from 'vitest';
import { freePort } from '../../../../tools/stack/index.ts';
import { admin, anOperator, type openApi, type TestTenant } from '../harness.ts';
import { page } from './fixture.ts';

export type App = Awaited<ReturnType<typeof openApi>>['app'];

/** Somebody else each time: limits count by address. */
export const anIp = () => `10.${randomInt(1, 250)}.${randomInt(250)}.${randomInt(1, 250)}`;

interface Opening {
  origin?: string | null;
  address?: string;
  [field: string]: unknown;
}
/** Asks for an anonymous session, and gives the answer as it came. */
export const open = (
  app: App,
  { publicKey, botId }: { publicKey: string; botId: string },
  { origin = page, address = anIp(), ...more }: Opening = {},
) =>
  app.inject({
    method: 'POST',
    url: '/widget/sessions/anonymous',
    headers: origin === null ? {} : { origin },
    remoteAddress: address,
    payload: { publicKey, botId, visitorId: 'label', ...more },
  });

export const refresh = (app: App, sessionToken: string, origin: string | null = page) =>
  app.inject({
    method: 'POST',
    url: '/widget/sessions/refresh',
    headers: origin === null ? {} : { origin },
    remoteAddress: anIp(),
    payload: { sessionToken },
  });

export interface Sent {
  conversationId: string;
  message: { id: string; seq: number };
  reply: Said | null;
  turn: { id: string; status: string; mode: string | null; reason: string | null } | null;
}
export interface Said {
  id: string;
  seq: number;
  role: string;
  text: string;
  citations: { title: string }[];
  isAnswer: boolean | null;
  isHandoffOffered: boolean;
  finish: string | null;
}

/** What a model was told in one message. */
export const textOf = (message: { content: unknown } | undefined) =>
  typeof message?.content === 'string' ? message.content : JSON.stringify(message?.content ?? '');

/** Polls until it is so. The deadline is for a test that fails: a busy machine may take long, and says nothing by it. */
export async function until(isSo: () => unknown, ms = 30_000): Promise<void> {
  for (const startedAt = performance.now(); !(await isSo());) {
    if (performance.now() - startedAt > ms) throw new Error(`it was not so within ${ms} ms`);
    await sleep(25);
  }
}

/** Where nothing answers. */
export const noValkey = async () => ({ VALKEY_URL: `redis://127.0.0.1:${await freePort()}` });
export const valkeyUrl = () => inject('valkeyUrl');

/** What the operator of the service allows this tenant. */
export async function allow(tenant: TestTenant, overrides: Record<string, number>) {
  const operator = await anOperator();
  const response = await operator.patch(`/admin/tenants/${tenant.tenantId}/entitlements`, { overrides });
  if (response.statusCode !== 200) throw new Error(response.body);
}

/** Publishes the draft with this change, and deploys it. */
export async function publish(tenant: TestTenant, botId: string, draft: object, environmentId = tenant.environmentId) {
  const { revision } = (await tenant.get(`/bots/${botId}`)).json<{ bot: { revision: number } }>().bot;
  await tenant.patch(`/bots/${botId}/draft`, { revision, draft });
  const published = await tenant.post(`/bots/${botId}/versions`, {});
  if (published.statusCode >= 300) throw new Error(published.body);
  const { version } = published.json<{ version: { id: string } }>();
  await deploy(tenant, botId, version.id, environmentId);
  return version.id;
}

export async function deploy(
  tenant: TestTenant,
  botId: string,
  versionId: string,
  environmentId = tenant.environmentId,
) {
  const response = await tenant.post(`/bots/${botId}/deployments`, { environmentId, versionId });
  if (response.statusCode >= 300) throw new Error(response.body);
}

/** Every table there is, by its whole name. */
export async function allTables(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select format('%I.%I', nspname, relname) as name from pg_class join pg_namespace on relnamespace = pg_namespace.oid
    where relkind = 'r' and nspname not in ('pg_catalog', 'information_schema') order by 1`.execute(admin);
  return rows.map(({ name }) => name);
}
