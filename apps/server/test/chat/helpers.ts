import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { inject } from 'vitest';
import { freePort } from '../../../../tools/stack/index.ts';
import { admin, anOperator, type openApi, type TestTenant } from '../harness.ts';
import { page } from './fixture.ts';

export type App = Awaited<ReturnType<typeof openApi>>['app'];

/** A new IP each time, because limits count per IP. */
export const anIp = () => `10.${randomInt(1, 250)}.${randomInt(250)}.${randomInt(1, 250)}`;

interface OpenOptions {
  origin?: string | null;
  ip?: string;
  [field: string]: unknown;
}
/** Opens an anonymous session and returns the raw response. */
export const open = (
  app: App,
  { publicKey, botId }: { publicKey: string; botId: string },
  { origin = page, ip = anIp(), ...more }: OpenOptions = {},
) =>
  app.inject({
    method: 'POST',
    url: '/widget/sessions/anonymous',
    headers: origin === null ? {} : { origin },
    remoteAddress: ip,
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

export interface SendResponse {
  conversationId: string;
  message: { id: string; seq: number };
  reply: MessageResponse | null;
  turn: { id: string; status: string; mode: string | null; reason: string | null } | null;
}
export interface MessageResponse {
  id: string;
  seq: number;
  role: string;
  text: string;
  citations: { title: string }[];
  isAnswer: boolean | null;
  isHandoffOffered: boolean;
  finish: string | null;
}

/** Text of one message sent to a model. */
export const textOf = (message: { content: unknown } | undefined) =>
  typeof message?.content === 'string' ? message.content : JSON.stringify(message?.content ?? '');

/**
 * Polls until the condition holds: often at first, then less often, as a condition that takes seconds needs no hundred
 * requests. The deadline is generous, because a busy machine may be slow.
 */
export async function until(condition: () => unknown, ms = 30_000): Promise<void> {
  const startedAt = performance.now();
  for (let pauseMs = 25; !(await condition()); pauseMs = Math.min(1.5 * pauseMs, 250)) {
    if (performance.now() - startedAt > ms) throw new Error(`condition not met within ${ms} ms`);
    await sleep(pauseMs);
  }
}

/** A Valkey URL where nothing listens. */
export const noValkey = async () => ({ VALKEY_URL: `redis://127.0.0.1:${await freePort()}` });
export const valkeyUrl = () => inject('valkeyUrl');

/** Overrides the tenant's entitlements as an operator. */
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

/** All tables, with their schema. */
export async function allTables(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select format('%I.%I', nspname, relname) as name from pg_class join pg_namespace on relnamespace = pg_namespace.oid
    where relkind = 'r' and nspname not in ('pg_catalog', 'information_schema') order by 1`.execute(admin);
  return rows.map(({ name }) => name);
}
