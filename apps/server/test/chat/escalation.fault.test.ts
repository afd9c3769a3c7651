import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { admin, aUser, eventsOf, settings } from '../harness.ts';
import { startChild, type Child } from '../faults/child.ts';
import { aBot, aChatStack, aTenant, aVisitor, openApi, startWorkerInProcess, waitUntilRegistered } from './fixture.ts';
import { until, type SendResponse } from './helpers.ts';

const { dir, restate, chatSettings } = await aChatStack();
const { app, close } = await openApi(chatSettings);
let worker: Child | undefined;
afterAll(async () => {
  worker?.signal('SIGKILL');
  await close();
});

async function startWorker() {
  worker = startChild('src/worker.ts', settings({ ...chatSettings, LOG_LEVEL: 'info' }));
  await worker.ready;
  await waitUntilRegistered(restate.adminUrl);
}
async function killWorker() {
  expect(worker?.signal('SIGKILL')).toBe(true);
  await worker?.ended;
}

/** A visitor who can ask for an agent, in a tenant that escalates after a minute. */
async function aChattingVisitor() {
  const tenant = await aTenant();
  const bot = await aBot(tenant);
  const lead = await aUser([{ tenantId: tenant.tenantId, roles: ['agent'] }]);
  const escalation = { afterMinutes: 1, to: { type: 'member', userId: lead.userId } };
  const assignment = { mode: 'manual', maxOpen: 5, teamId: null, escalation };
  expect((await tenant.put(`/workspaces/${tenant.workspaceId}/assignment`, assignment)).statusCode).toBe(200);
  const visitor = await aVisitor(app, bot);
  const { conversationId: id } = (await visitor.say('how much is delivery?')).json<SendResponse>();
  const ask = async () => expect((await visitor.post(`/widget/conversations/${id}/handoff`)).statusCode).toBe(200);
  const assigneeId = async () =>
    (await tenant.get(`/conversations/${id}`)).json<{ conversation: { assigneeId: string | null } }>().conversation
      .assigneeId;
  const escalations = async () =>
    (await eventsOf(tenant.tenantId)).filter((type) => type === 'conversation.escalated').length;
  return { id, lead, ask, assigneeId, escalations };
}

const isChecked = async (id: string) =>
  (await sql`select from conversations where id = ${id} and waiting_checked_at is not null`.execute(admin)).rows
    .length === 1;

test(
  'escalates once after the worker was killed, and again after Restate has lost its data',
  { timeout: 300_000 },
  async () => {
    const firstWorker = await startWorkerInProcess(chatSettings);
    const [first, second] = [await aChattingVisitor(), await aChattingVisitor()];
    await firstWorker.stop();
    await first.ask();
    // Most of the minute is over when the worker sees it.
    await sql`update conversations set waiting_since = waiting_since - interval '45 seconds' where id = ${first.id}`.execute(
      admin,
    );
    await startWorker();
    await until(() => isChecked(first.id)); // Restate has the timer
    await killWorker();
    await startWorker();
    await until(async () => (await first.escalations()) > 0, 120_000);
    expect(await first.assigneeId()).toBe(first.lead.userId);

    await second.ask();
    await until(() => isChecked(second.id));
    await killWorker();
    await restate.kill();
    rmSync(join(dir, 'restate-data'), { recursive: true });
    await restate.start();
    await sql`update conversations set waiting_since = waiting_since - interval '5 minutes' where id = ${second.id}`.execute(
      admin,
    );
    // Overdue by more than the sweeper's grace.
    await sql`update directory.timers set due_at = now() - interval '4 minutes'
      where kind = 'waiting' and subject_id = ${second.id}`.execute(admin);
    await startWorker();
    await until(async () => (await second.escalations()) > 0, 120_000);
    expect(await second.assigneeId()).toBe(second.lead.userId);
    expect([await first.escalations(), await second.escalations()]).toEqual([1, 1]);
  },
);
