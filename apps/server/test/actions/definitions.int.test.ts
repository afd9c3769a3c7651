import { describe, expect, test } from 'vitest';
import { admin, aTenant, send, type TestTenant } from '../harness.ts';
import { plantWebhook } from '../rules/hooks.ts';
import { cancel, lookUp } from './fixture.ts';

async function aDeveloper() {
  const tenant = await aTenant();
  const [webhookId = ''] = await plantWebhook(tenant);
  const at = `/bots/${tenant.botId}/actions`;
  const make = async (more: object) => {
    const response = await tenant.post(at, { webhookId, ...more });
    expect(response.statusCode, response.body).toBe(201);
    return response.json<{ action: { id: string; name: string } }>().action;
  };
  const remove = (id: string) => send('DELETE', `/actions/${id}`, tenant.headers);
  return { tenant, webhookId, at, make, remove };
}
const refusal = ({ statusCode, body }: { statusCode: number; body: string }) => [
  statusCode,
  (JSON.parse(body) as { error: { reason: string } }).error.reason,
];

describe('an action', () => {
  test('201, 200: is made, read, listed newest first, changed field by field, and deleted', async () => {
    const { tenant, at, make, remove, webhookId } = await aDeveloper();
    const [first, second] = [await make(lookUp), await make(cancel)];
    expect((await tenant.get(`/actions/${first.id}`)).json()).toMatchObject({
      action: { ...lookUp, webhookId, risk: 'read', effect: 'idempotent', timeoutMs: 8_000, lastRun: null },
    });
    const listed = await tenant.get(`${at}?limit=1`);
    expect(listed.statusCode, listed.body).toBe(200);
    expect(listed.json()).toMatchObject({ data: [{ id: second.id }], nextCursor: expect.any(String) as string });
    const changed = await tenant.patch(`/actions/${first.id}`, { title: 'Where it is' });
    expect(changed.json()).toMatchObject({ action: { ...lookUp, title: 'Where it is', webhookId } });
    expect((await remove(first.id)).statusCode).toBe(200);
    expect((await tenant.get(`/actions/${first.id}`)).statusCode).toBe(404);
    expect((await remove(first.id)).statusCode).toBe(404);
  });

  test('409: a name that is taken, in this bot alone', async () => {
    const { tenant, at, make, webhookId } = await aDeveloper();
    const first = await make(lookUp);
    expect(refusal(await tenant.post(at, { ...lookUp, webhookId }))).toEqual([409, 'action_name_taken']);
    const second = await make(cancel);
    expect(refusal(await tenant.patch(`/actions/${second.id}`, { name: first.name }))).toEqual([
      409,
      'action_name_taken',
    ]);
    const { bot } = (await tenant.post('/bots', { name: 'Other' })).json<{ bot: { id: string } }>();
    expect((await tenant.post(`/bots/${bot.id}/actions`, { ...lookUp, webhookId })).statusCode).toBe(201);
  });

  test('404: an endpoint or a bot that is not there; 409: a bot that is archived', async () => {
    const { tenant, at, make, webhookId } = await aDeveloper();
    const nobodys = 'whk_01h45ytscbebyvny4gc8cr8ma2';
    expect(refusal(await tenant.post(at, { ...lookUp, webhookId: nobodys }))).toEqual([404, 'webhook_not_found']);
    const { id } = await make(lookUp);
    expect(refusal(await tenant.patch(`/actions/${id}`, { webhookId: nobodys }))).toEqual([404, 'webhook_not_found']);
    const noBot = '/bots/bot_01h45ytscbebyvny4gc8cr8ma2/actions';
    expect(refusal(await tenant.post(noBot, { ...cancel, webhookId }))).toEqual([404, 'bot_not_found']);
    await admin.updateTable('bots').set({ status: 'archived' }).where('id', '=', tenant.botId).execute();
    expect(refusal(await tenant.post(at, { ...cancel, webhookId }))).toEqual([409, 'bot_archived']);
  });

  test('409: is a step of another; gone with the other', async () => {
    const { make, remove, tenant } = await aDeveloper();
    const part = await make(lookUp);
    const undo = await make({ ...lookUp, name: 'undo' });
    const step = { name: 'one', actionId: part.id, compensation: { actionId: undo.id } };
    const whole = await make({ name: 'whole', title: 'Whole', webhookId: null, steps: [step] });
    for (const { id } of [part, undo]) expect(refusal(await remove(id))).toEqual([409, 'action_in_use']);
    const writes = await tenant.patch(`/actions/${part.id}`, { risk: 'write' });
    expect(refusal(writes)).toEqual([400, 'invalid_action']);
    expect((await remove(whole.id)).statusCode).toBe(200);
    expect((await remove(part.id)).statusCode).toBe(200);
  });

  test('409: at most fifty of a bot, also of sixty at once', async () => {
    const { tenant, at, webhookId } = await aDeveloper();
    const all = await Promise.all(
      Array.from({ length: 60 }, (_, n) => tenant.post(at, { name: `many_${n}`, title: 'One', webhookId })),
    );
    expect(all.filter(({ statusCode }) => statusCode === 201)).toHaveLength(50);
    expect(all.filter((one) => refusal2(one) === 'action_limit_reached')).toHaveLength(10);
  });
  const refusal2 = (response: { statusCode: number; body: string }) =>
    response.statusCode === 409 ? refusal(response)[1] : null;

  test('403 entitlement_missing: a plan without actions', async () => {
    const tenant = await aTenant({ plan: 'free' });
    expect(refusal(await tenant.get(`/bots/${tenant.botId}/actions`))).toEqual([403, 'entitlement_missing']);
  });
});

describe('a version', () => {
  const publish = async ({ tenant }: { tenant: TestTenant }) => tenant.post(`/bots/${tenant.botId}/versions`, {});
  const idIn = (response: { body: string }) => (JSON.parse(response.body) as { version: { id: string } }).version.id;

  test('200: says which action is new, changed or gone since another', async () => {
    const developer = await aDeveloper();
    const { tenant, make, remove } = developer;
    const [kept, changed] = [await make(lookUp), await make(cancel)];
    const one = idIn(await publish(developer));
    await tenant.patch(`/actions/${changed.id}`, { title: 'Give up an order' });
    await remove(kept.id);
    await make({ ...lookUp, name: 'brand_new' });
    const two = idIn(await publish(developer));
    const diff = await tenant.get(`/bots/${tenant.botId}/versions/${one}/diff/${two}`);
    expect(diff.statusCode, diff.body).toBe(200);
    for (const name of ['Give up an order', 'brand_new', 'order_status']) expect(diff.body).toContain(name);
  });

  test('400: is not published with an action that is not sound any more', async () => {
    const developer = await aDeveloper();
    const { tenant, make } = developer;
    const part = await make(lookUp);
    await make({ name: 'whole', title: 'Whole', webhookId: null, steps: [{ name: 'one', actionId: part.id }] });
    await admin.deleteFrom('actions').where('id', '=', part.id).execute(); // as no route can
    const response = await publish(developer);
    expect(response.statusCode, response.body).toBeGreaterThanOrEqual(400);
    expect(response.statusCode).toBeLessThan(500);
    expect(response.body).toContain('whole');
    expect((await tenant.get(`/bots/${tenant.botId}/versions`)).json()).toMatchObject({ data: [] });
  });
});
