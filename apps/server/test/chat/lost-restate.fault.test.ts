import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { countOf } from '../../../../tools/testing/size.ts';
import { admin } from '../harness.ts';
import { aBot, aChatStack, aTenant, aVisitor, startWorkerInProcess, waitUntilRegistered, openApi } from './fixture.ts';

const { dir, restate, model, chatSettings } = await aChatStack();
const worker = await startWorkerInProcess(chatSettings);
const { app, close } = await openApi(chatSettings);
afterAll(async () => {
  await close();
  await worker.stop();
});

const turns = countOf('TURNS', { sample: 3, full: 10 });

test(`answers each of ${turns} turns once after Restate is wiped, by their timers`, { timeout: 90_000 }, async () => {
  const { tenantId, ...tenant } = await aTenant();
  const bot = await aBot({ tenantId, ...tenant }, { answers: { mode: 'model' } });
  model.script = () => ({ tokens: Array.from({ length: 30 }, (_, n) => `word${n}`), everyMs: 100 });
  const called = model.calls.length;
  const visitors = await Promise.all(Array.from({ length: turns }, () => aVisitor(app, bot)));
  const responses = visitors.map((visitor) => visitor.say('how long do I have to get my money back?'));
  await expect.poll(() => model.calls.length - called, { timeout: 40_000 }).toBe(turns);

  await restate.kill();
  rmSync(join(dir, 'restate-data'), { recursive: true });
  await restate.start();
  await waitUntilRegistered(restate.adminUrl);
  await sql`update directory.timers set due_at = now() - interval '10 seconds' where kind = 'turn' and tenant_id = ${tenantId}`.execute(
    admin,
  );

  for (const response of await Promise.all(responses))
    expect(response.json()).toMatchObject({ turn: { status: 'done' } });
  const replies = await admin
    .selectFrom('conversationEvents')
    .select('turnId')
    .where('type', '=', 'reply.completed')
    .where('tenantId', '=', tenantId)
    .execute();
  expect(new Set(replies.map(({ turnId }) => turnId)).size).toBe(turns);
  expect(replies).toHaveLength(turns);
  expect(
    (await sql`select from directory.timers where kind = 'turn' and tenant_id = ${tenantId}`.execute(admin)).rows,
  ).toEqual([]);
});
