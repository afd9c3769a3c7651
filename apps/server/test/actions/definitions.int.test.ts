import { describe, expect, test } from 'vitest';
import { admin, aTenant, send, type TestTenant } from '../harness.ts';
import { plantWebhook } from '../rules/hooks.ts';
import { cancel, lookUp } from './fixture.ts';

async function aDeveloper() {
  const tenant = await aTenant();
  const [webhookId = ''] = await plantWebhook(tenant);
  const actionsUrl = `/bots/${tenant.botId}/actions`;
  const create = async (more: object) => {
    const response = await tenant.post(actionsUrl, { webhookId, ...more });
    expect(response.statusCode, response.body).toBe(201);
    return response.json<{ action: { id: string; name: string } }>().action;
  };
  const remove = (id: string) => send('DELETE', `/actions/${id}`, tenant.headers);
  return { tenant, webhookId, actionsUrl, create, remove };
}
const errorOf = ({ statusCode, body }: { statusCode: number; body: string }) => [
  statusCode,
  (JSON.parse(body) as { error: { reason: string } }).error.reason,
];

describe('actions', () => {
  test('are created, read, listed newest first, updated by field and deleted', async () => {
    const { tenant, actionsUrl, create, remove, webhookId } = await aDeveloper();
    const [first, second] = [await create(lookUp), await create(cancel)];
    expect((await tenant.get(`/actions/${first.id}`)).json()).toMatchObject({
      action: { ...lookUp, webhookId, risk: 'read', effect: 'idempotent', timeoutMs: 8_000, lastRun: null },
    });
    const listed = await tenant.get(`${actionsUrl}?limit=1`);
    expect(listed.statusCode, listed.body).toBe(200);
    expect(listed.json()).toMatchObject({ data: [{ id: second.id }], nextCursor: expect.any(String) as string });
    const changed = await tenant.patch(`/actions/${first.id}`, { title: 'Where it is' });
    expect(changed.json()).toMatchObject({ action: { ...lookUp, title: 'Where it is', webhookId } });
    expect((await remove(first.id)).statusCode).toBe(200);
    expect((await tenant.get(`/actions/${first.id}`)).statusCode).toBe(404);
    expect((await remove(first.id)).statusCode).toBe(404);
  });

  test('return 409 action_name_taken for a name already used in the same bot', async () => {
    const { tenant, actionsUrl, create, webhookId } = await aDeveloper();
    const first = await create(lookUp);
    expect(errorOf(await tenant.post(actionsUrl, { ...lookUp, webhookId }))).toEqual([409, 'action_name_taken']);
    const second = await create(cancel);
    expect(errorOf(await tenant.patch(`/actions/${second.id}`, { name: first.name }))).toEqual([
      409,
      'action_name_taken',
    ]);
    const { bot } = (await tenant.post('/bots', { name: 'Other' })).json<{ bot: { id: string } }>();
    expect((await tenant.post(`/bots/${bot.id}/actions`, { ...lookUp, webhookId })).statusCode).toBe(201);
  });

  test('return 404 for an unknown endpoint or bot, and 409 for an archived bot', async () => {
    const { tenant, actionsUrl, create, webhookId } = await aDeveloper();
    const unknownWebhook = 'whk_01h45ytscbebyvny4gc8cr8ma2';
    expect(errorOf(await tenant.post(actionsUrl, { ...lookUp, webhookId: unknownWebhook }))).toEqual([
      404,
      'webhook_not_found',
    ]);
    const { id } = await create(lookUp);
    expect(errorOf(await tenant.patch(`/actions/${id}`, { webhookId: unknownWebhook }))).toEqual([
      404,
      'webhook_not_found',
    ]);
    const noBot = '/bots/bot_01h45ytscbebyvny4gc8cr8ma2/actions';
    expect(errorOf(await tenant.post(noBot, { ...cancel, webhookId }))).toEqual([404, 'bot_not_found']);
    await admin.updateTable('bots').set({ status: 'archived' }).where('id', '=', tenant.botId).execute();
    expect(errorOf(await tenant.post(actionsUrl, { ...cancel, webhookId }))).toEqual([409, 'bot_archived']);
  });

  test('return 409 action_in_use while they are steps of another action', async () => {
    const { create, remove, tenant } = await aDeveloper();
    const stepAction = await create(lookUp);
    const undo = await create({ ...lookUp, name: 'undo' });
    const step = { name: 'one', actionId: stepAction.id, compensation: { actionId: undo.id } };
    const workflow = await create({ name: 'whole', title: 'Whole', webhookId: null, steps: [step] });
    for (const { id } of [stepAction, undo]) expect(errorOf(await remove(id))).toEqual([409, 'action_in_use']);
    const writes = await tenant.patch(`/actions/${stepAction.id}`, { risk: 'write' });
    expect(errorOf(writes)).toEqual([400, 'invalid_action']);
    expect((await remove(workflow.id)).statusCode).toBe(200);
    expect((await remove(stepAction.id)).statusCode).toBe(200);
  });

  test('return 409 action_limit_reached beyond 50 per bot, also concurrently', async () => {
    const { tenant, actionsUrl, webhookId } = await aDeveloper();
    const all = await Promise.all(
      Array.from({ length: 60 }, (_, n) => tenant.post(actionsUrl, { name: `many_${n}`, title: 'One', webhookId })),
    );
    expect(all.filter(({ statusCode }) => statusCode === 201)).toHaveLength(50);
    expect(all.filter((one) => conflictReason(one) === 'action_limit_reached')).toHaveLength(10);
  });
  const conflictReason = (response: { statusCode: number; body: string }) =>
    response.statusCode === 409 ? errorOf(response)[1] : null;

  test('return 403 entitlement_missing for a plan without actions', async () => {
    const tenant = await aTenant({ plan: 'free' });
    expect(errorOf(await tenant.get(`/bots/${tenant.botId}/actions`))).toEqual([403, 'entitlement_missing']);
  });
});

describe('versions', () => {
  const publish = async ({ tenant }: { tenant: TestTenant }) => tenant.post(`/bots/${tenant.botId}/versions`, {});
  const idIn = (response: { body: string }) => (JSON.parse(response.body) as { version: { id: string } }).version.id;

  test('diff shows added, changed and removed actions', async () => {
    const developer = await aDeveloper();
    const { tenant, create, remove } = developer;
    const [removed, changed] = [await create(lookUp), await create(cancel)];
    const one = idIn(await publish(developer));
    await tenant.patch(`/actions/${changed.id}`, { title: 'Give up an order' });
    await remove(removed.id);
    await create({ ...lookUp, name: 'brand_new' });
    const two = idIn(await publish(developer));
    const diff = await tenant.get(`/bots/${tenant.botId}/versions/${one}/diff/${two}`);
    expect(diff.statusCode, diff.body).toBe(200);
    for (const name of ['Give up an order', 'brand_new', 'order_status']) expect(diff.body).toContain(name);
  });

  test('are not published with an invalid action', async () => {
    const developer = await aDeveloper();
    const { tenant, create } = developer;
    const stepAction = await create(lookUp);
    await create({ name: 'whole', title: 'Whole', webhookId: null, steps: [{ name: 'one', actionId: stepAction.id }] });
    await admin.deleteFrom('actions').where('id', '=', stepAction.id).execute(); // bypassing the API, which would refuse this
    const response = await publish(developer);
    expect(response.statusCode, response.body).toBeGreaterThanOrEqual(400);
    expect(response.statusCode).toBeLessThan(500);
    expect(response.body).toContain('whole');
    expect((await tenant.get(`/bots/${tenant.botId}/versions`)).json()).toMatchObject({ data: [] });
  });
});
