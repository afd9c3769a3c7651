import { expect } from 'vitest';
import { actionRun } from '../../src/features/actions/run/action-run.workflow.ts';
import { openAssertions } from '../../src/features/actions/index.ts';
import { conversation } from '../../src/features/conversations/turn/conversation.workflow.ts';
import { createTurnDeps, runChats } from '../../src/features/conversations/index.ts';
import { keyRotation } from '../../src/features/key-rotation/key-rotation.workflow.ts';
import { knowledgeSource } from '../../src/features/knowledge/ingest/knowledge.workflow.ts';
import { webhookReplay } from '../../src/features/webhooks/log/replay.workflow.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { aWebhookStack } from '../webhooks/fixture.ts';

/** Every invocation does the least it can: one unit of work. */
const shortest = (platform: Platform) => {
  const { services, tenantFetch: fetch, config, log } = platform;
  return [
    conversation(createTurnDeps(platform), { startMs: 0 }),
    knowledgeSource(services, fetch, undefined, { startMs: 0 }),
    actionRun(
      { services, fetch, chats: runChats, assertions: openAssertions(services, config.PUBLIC_URL), log },
      { startMs: 0 },
    ),
    webhookReplay(services, { pageSize: 5, maxPages: 2 }),
    keyRotation(services, { maxSteps: 1 }),
  ];
};

/** A stack whose worker's invocations are as short as possible. */
export async function aShortStack(hosts: readonly string[]) {
  const stack = await aWebhookStack({ hosts, durable: shortest });
  const query = async <T>(statement: string): Promise<T[]> => {
    const response = await fetch(`${stack.restate.adminUrl}/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query: statement }),
    });
    expect(response.status, await response.clone().text()).toBe(200);
    return ((await response.json()) as { rows: T[] }).rows;
  };
  const target = (service: string, key: string) =>
    `target_service_name = '${service}' and target_service_key like '%${key}'`;
  /** The invocations that have not completed. */
  const openOf = (service: string, key: string) =>
    query<{ id: string; status: string; target_handler_name: string }>(
      `select id, status, target_handler_name from sys_invocation
        where ${target(service, key)} and status <> 'completed' order by created_at`,
    );
  /** The steps of each invocation, in order, when all of them have completed. `ctx.date.now` is a step without a name. */
  const stepsOf = async (service: string, key: string): Promise<string[][]> => {
    await expect.poll(() => openOf(service, key), { timeout: 30_000 }).toEqual([]);
    const invocations = await query<{ id: string }>(
      `select id from sys_invocation where ${target(service, key)} order by created_at`,
    );
    const steps = await query<{ id: string; name: string }>(
      `select j.id as id, j.name as name from sys_journal j join sys_invocation i on i.id = j.id
        where ${target(service, key)} and j.entry_type = 'Command: Run' and j.name <> '' order by j.index`,
    );
    return invocations.map(({ id }) => steps.filter((step) => step.id === id).map(({ name }) => name));
  };
  return { ...stack, openOf, stepsOf };
}
