import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { afterRestore } from '../src/after-restore.ts';
import { connect } from '../src/platform/db.ts';
import { idOf } from '../src/platform/ids.contract.ts';
import {
  aShop,
  awaitEntry,
  cancel,
  confirm,
  handleCalls,
  isBotMessage,
  isCard,
  logOf,
  lookUp,
  reply,
  type Handler,
  type SendResult,
} from './actions/fixture.ts';
import { admin, urlAs } from './harness.ts';
import { aWebhookStack, emitTestEvent } from './webhooks/fixture.ts';

const stack = await aWebhookStack();
const handlers = new Map<string, Handler>();
handleCalls(stack.receiver, handlers);
/** Orders of the write requests that arrived. */
const invoked: unknown[] = [];
const done: Handler = (call, response) => {
  if (call.action === cancel.name) invoked.push(call.input['orderId']);
  return reply(response, 200, { output: {}, display: 'Done.' });
};
const couldNotConfirm = isBotMessage(/^I couldn’t confirm whether this went through/);

/** As `after-restore` does: everything older than that is from before the restore. */
const restoreAt = (at: Date, epoch = 7) =>
  sql`insert into deployment.restores (epoch, restored_at) values (${epoch}, ${at})`.execute(admin);
const later = () => new Date(Date.now() + 3_600_000);
afterEach(async () => {
  await sql`delete from deployment.restores`.execute(admin);
  invoked.length = 0;
});

test('a confirmation from before a restore is not sent, and the visitor is told', async () => {
  const shop = await aShop(stack, handlers, done, [cancel]);
  const visitor = await shop.visitor();
  const { conversationId } = (await visitor.say('cancel my order A-100')).json<SendResult>();
  const card = await awaitEntry(visitor, conversationId, isCard);
  await restoreAt(later());
  await confirm(visitor, conversationId, card);
  await awaitEntry(visitor, conversationId, couldNotConfirm);
  const run = await shop.run(idOf('actionRun').parse(card.data['runId']));
  expect(run).toMatchObject({ state: 'unknown', reason: 'restored', attempts: [] });
  expect(invoked).toEqual([]);

  // What comes after it works as ever.
  await sql`update deployment.restores set restored_at = now()`.execute(admin);
  const next = await shop.visitor();
  const { conversationId: second } = (await next.say('cancel my order A-200')).json<SendResult>();
  await confirm(next, second, await awaitEntry(next, second, isCard));
  await awaitEntry(next, second, isBotMessage(/^Done/));
  expect(invoked).toEqual(['A-200']);
});

test('a turn from before a restore proposes no write: its outcome is unknown, and no card is shown', async () => {
  const shop = await aShop(stack, handlers, done, [cancel]);
  const visitor = await shop.visitor();
  await restoreAt(later());
  const { conversationId } = (await visitor.say('cancel my order A-300')).json<SendResult>();
  await awaitEntry(visitor, conversationId, couldNotConfirm);
  expect((await logOf(visitor, conversationId)).filter(isCard)).toEqual([]);
  expect(await shop.runs()).toMatchObject([{ state: 'unknown', reason: 'restored' }]);
  expect(invoked).toEqual([]);
});

test('a multi-step run from before a restore does not continue when its step is resolved, and can be resolved itself', async () => {
  const input = { orderId: { from: '/input/orderId' } };
  const step = { ...cancel, isOffered: false, effect: 'at_most_once' };
  const steps = [
    { name: 'first', actionId: 'take_back', input },
    { name: 'second', actionId: 'pay_back', input },
  ];
  const asStep = (name: string) => ({ ...step, name, title: name });
  const workflow = { ...cancel, name: 'swap', title: 'Swap', triggers: ['swap these goods'], steps, webhookId: null };
  const steppedTo: string[] = [];
  const unclear: Handler = (call, response) => {
    steppedTo.push(call.action);
    return reply(response, 500, {});
  };
  const shop = await aShop(stack, handlers, unclear, [asStep('take_back'), asStep('pay_back'), workflow]);
  const visitor = await shop.visitor();
  const { conversationId } = (await visitor.say('swap these goods A-400')).json<SendResult>();
  // The workflow, or only its step.
  const stateOfRun = async () => {
    for (const card of (await logOf(visitor, conversationId)).filter(isCard))
      await confirm(visitor, conversationId, card);
    return (await shop.runs())[0];
  };
  await expect.poll(stateOfRun).toMatchObject({ state: 'unknown', reason: 'step_unknown' });
  const runId = (await shop.runs())[0]?.id ?? '';

  await restoreAt(later());
  const resolve = async (id = '') =>
    (await shop.tenant.post(`/action-runs/${id}/resolve`, { outcome: 'succeeded' })).statusCode;
  expect(await resolve((await shop.run(runId)).steps[0]?.id)).toBe(200);
  await expect.poll(() => shop.run(runId)).toMatchObject({ state: 'unknown', reason: 'restored' });
  expect(await resolve(runId)).toBe(200);
  expect(await shop.run(runId)).toMatchObject({ state: 'reconciled', outcome: 'succeeded' });
  expect(steppedTo).toEqual(['take_back']);
  expect((await logOf(visitor, conversationId)).filter(couldNotConfirm)).toHaveLength(1);
});

test('a delivery from before a restore has the epoch in a header, a later one has none', async () => {
  const shop = await aShop(stack, handlers, done, [lookUp]);
  const url = `${stack.receiver.url}/epochs/${shop.tenant.tenantId}`;
  await shop.tenant.post('/webhooks', { url, eventTypes: ['test.*'] });
  const epochs = () =>
    stack.receiver.calls
      .filter(({ path }) => path.endsWith(`/epochs/${shop.tenant.tenantId}`))
      .map(({ headers }) => headers['x-service-restore-epoch']);
  await restoreAt(later(), 41);
  await emitTestEvent(shop.tenant, 1);
  await expect.poll(epochs).toEqual(['41']);
  await sql`update deployment.restores set restored_at = now() - interval '1 minute'`.execute(admin);
  await emitTestEvent(shop.tenant, 2);
  await expect.poll(epochs).toEqual(['41', undefined]);
});

test('after-restore raises the epoch once per timeline, ends older sessions and makes timers due', async () => {
  const owner = connect(urlAs('parley_owner'), { max: 1 });
  const lines: string[] = [];
  const run = async (isAgain = false) => {
    const restate = { url: undefined, token: undefined };
    return afterRestore(owner, { restoredTo: null, isAgain, restate, print: (line) => lines.push(line) });
  };
  const epochs = async () =>
    (await sql<{ epoch: number }>`select epoch from deployment.restores order by 1`.execute(admin)).rows.map(
      ({ epoch }) => epoch,
    );
  await sql`insert into directory.timers values ('action-run', 'ten_x', 'act_x', now() + interval '1 day', now() + interval '1 day')`.execute(
    admin,
  );
  await admin.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx); // without its user
    await sql`insert into customer_pool.sessions (id, grant_hash, user_id, client_id, methods, authenticated_at, ip, user_agent, expires_at)
      values ('ses_x', '', 'usr_x', 'portal', '{pwd}', now(), '', '', now() + interval '1 day')`.execute(tx);
  });
  await run();
  const [first] = await epochs();
  await run();
  expect(await epochs()).toEqual([first]);
  expect(lines.at(-1)).toContain('Restate');
  const { rows } = await sql<{ isEnded: boolean; isDue: boolean }>`
    select (select ended_at is not null from customer_pool.sessions where id = 'ses_x') as is_ended,
      not exists (select from directory.timers where tenant_id = 'ten_x' and due_at > now() - interval '1 minute') as is_due`.execute(
    admin,
  );
  expect(rows).toEqual([{ isEnded: true, isDue: true }]);
  await run(true);
  expect(await epochs()).toEqual([first, (first ?? 0) + 1]);
  await sql`delete from directory.timers where tenant_id = 'ten_x'`.execute(admin);
  await owner.destroy();
});
