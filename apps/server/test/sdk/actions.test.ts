import { actionHandler, ActionRefused, memoryStore, withIdempotency, type ActionArguments } from '@parley/sdk/actions';
import type { ActionCall } from '@parley/sdk/webhooks';
import { describe, expect, it } from 'vitest';
import { anActionCall } from './signed.ts';

const invoke = (more: Record<string, unknown> = {}) => anActionCall(more) as unknown as ActionCall;
const status = (id: string) => invoke({ id, type: 'action.status', input: undefined });

/** A shop in which cancelling counts. */
function aShop(answer: (args: ActionArguments<{ orderId: string }>, times: number) => object = () => ({})) {
  let times = 0;
  const cancel = withIdempotency(memoryStore())(async (args: ActionArguments<{ orderId: string }>) => {
    times++;
    await new Promise((done) => setTimeout(done, 5));
    return { output: { orderId: args.input.orderId, ...answer(args, times) } };
  });
  return { actions: actionHandler({ my_order: cancel }), times: () => times };
}

describe('withIdempotency', () => {
  it('200 twice: the same call has one effect and the same answer', async () => {
    const { actions, times } = aShop();
    const first = await actions(invoke());
    expect(first).toEqual({ status: 200, body: { output: { orderId: 'A-1001' } } });
    expect(await actions(invoke({ attempt: 2 }))).toEqual(first);
    expect(times()).toBe(1);
    await actions(invoke({ id: 'arun_2' }));
    expect(times()).toBe(2);
  });

  it('the same answer again even after the deadline', async () => {
    const { actions } = aShop();
    const first = await actions(invoke());
    expect(await actions(invoke({ deadline: '2020-01-01T00:00:00.000Z' }))).toEqual(first);
  });

  it('503 that says nothing of an end: the same call while the first is under way', async () => {
    const { actions, times } = aShop();
    const answers = await Promise.all([actions(invoke()), actions(invoke()), actions(invoke())]);
    expect(answers.map((answer) => answer.status)).toEqual([200, 503, 503]);
    // `error` would say that nothing was done, for certain.
    expect(answers.find((answer) => answer.status === 503)?.body).not.toHaveProperty('error');
    expect(times()).toBe(1);
  });

  it('422 again: what was refused for good is not tried again', async () => {
    const { actions, times } = aShop(() => {
      throw new ActionRefused('shipped');
    });
    expect((await actions(invoke())).status).toBe(422);
    expect((await actions(invoke())).status).toBe(422);
    expect(times()).toBe(1);
  });

  it('503, then 200: what may succeed later is run again', async () => {
    const { actions } = aShop((_args, times) => {
      if (times === 1) throw new ActionRefused('busy', 'later', { retryable: true });
      return {};
    });
    expect(await actions(invoke())).toMatchObject({ status: 503, body: { error: { code: 'busy', retryable: true } } });
    expect((await actions(invoke())).status).toBe(200);
  });

  it('what a handler throws is thrown, and the next call runs it again', async () => {
    const { actions } = aShop((_args, times) => {
      if (times === 1) throw new Error('the database is away');
      return {};
    });
    await expect(actions(invoke())).rejects.toThrow('the database is away');
    expect((await actions(invoke())).status).toBe(200);
  });

  it('a claim that was never finished is taken over when its lease has passed, by one', async () => {
    const store = memoryStore();
    expect(await store.claim('arun_1', -1)).toBe(true); // its process died
    expect(await Promise.all([store.claim('arun_1', 1_000), store.claim('arun_1', 1_000)])).toEqual([true, false]);
  });
});

describe('action.status', () => {
  it('tells the truth: not_found, pending, succeeded, failed', async () => {
    const { actions } = aShop(({ input }) => {
      if (input.orderId === 'B-1') throw new ActionRefused('shipped', 'gone', { display: 'It has left.' });
      return {};
    });
    expect((await actions(status('arun_1'))).body).toEqual({ status: 'not_found' });
    const running = actions(invoke());
    await Promise.resolve();
    await Promise.resolve();
    expect((await actions(status('arun_1'))).body).toEqual({ status: 'pending' });
    await running;
    expect((await actions(status('arun_1'))).body).toEqual({ status: 'succeeded', output: { orderId: 'A-1001' } });
    await actions(invoke({ id: 'arun_2', input: { orderId: 'B-1' } }));
    expect((await actions(status('arun_2'))).body).toEqual({
      status: 'failed',
      error: { code: 'shipped', message: 'gone', retryable: false },
      display: 'It has left.',
    });
  });

  it('pending: what was taken on with 202 and is not finished', async () => {
    const actions = actionHandler({ my_order: withIdempotency(memoryStore())(() => ({ accepted: true })) });
    expect((await actions(invoke())).status).toBe(202);
    expect((await actions(status('arun_1'))).body).toEqual({ status: 'pending' });
  });

  it('501: a handler without a store does not know, and does not say not_found, which would have it sent again', async () => {
    const actions = actionHandler({ my_order: () => ({ output: {} }) });
    expect(await actions(status('arun_1'))).toMatchObject({ status: 501 });
  });
});

describe('actionHandler', () => {
  it('409: nothing begins after the deadline', async () => {
    const { actions, times } = aShop();
    const late = await actions(invoke({ deadline: new Date(Date.now() - 1).toISOString() }));
    expect(late).toMatchObject({ status: 409, body: { error: { code: 'too_late', retryable: true } } });
    expect(times()).toBe(0);
  });

  it.each(['nothing', 'constructor', '__proto__'])('404: there is no handler called %s', async (action) => {
    const { actions } = aShop();
    expect(await actions(invoke({ action }))).toMatchObject({
      status: 404,
      body: { error: { code: 'unknown_action' } },
    });
  });
});
