import { actionHandler, ActionRefused, memoryStore, withIdempotency, type ActionArguments } from '@parley/sdk/actions';
import type { ActionCall } from '@parley/sdk/webhooks';
import { describe, expect, it } from 'vitest';
import { anActionCall } from './signed.ts';

const invoke = (more: Record<string, unknown> = {}) => anActionCall(more) as unknown as ActionCall;
const status = (id: string) => invoke({ id, type: 'action.status', input: undefined });

/** A shop that counts how often its handler runs. */
function aShop(respond: (args: ActionArguments<{ orderId: string }>, times: number) => object = () => ({})) {
  let times = 0;
  const cancel = withIdempotency(memoryStore())(async (args: ActionArguments<{ orderId: string }>) => {
    times++;
    await new Promise((done) => setTimeout(done, 5));
    return { output: { orderId: args.input.orderId, ...respond(args, times) } };
  });
  return { actions: actionHandler({ my_order: cancel }), times: () => times };
}

describe('withIdempotency', () => {
  it('runs a repeated call once and returns the same response', async () => {
    const { actions, times } = aShop();
    const first = await actions(invoke());
    expect(first).toEqual({ status: 200, body: { output: { orderId: 'A-1001' } } });
    expect(await actions(invoke({ attempt: 2 }))).toEqual(first);
    expect(times()).toBe(1);
    await actions(invoke({ id: 'arun_2' }));
    expect(times()).toBe(2);
  });

  it('returns the stored response even after the deadline', async () => {
    const { actions } = aShop();
    const first = await actions(invoke());
    expect(await actions(invoke({ deadline: '2020-01-01T00:00:00.000Z' }))).toEqual(first);
  });

  it('returns 503 without `error` while the first call is in progress', async () => {
    const { actions, times } = aShop();
    const responses = await Promise.all([actions(invoke()), actions(invoke()), actions(invoke())]);
    expect(responses.map((response) => response.status)).toEqual([200, 503, 503]);
    // `error` would mean that nothing was done.
    expect(responses.find((response) => response.status === 503)?.body).not.toHaveProperty('error');
    expect(times()).toBe(1);
  });

  it('returns 422 again for a refused call without running it', async () => {
    const { actions, times } = aShop(() => {
      throw new ActionRefused('shipped');
    });
    expect((await actions(invoke())).status).toBe(422);
    expect((await actions(invoke())).status).toBe(422);
    expect(times()).toBe(1);
  });

  it('runs a call again after a retryable refusal', async () => {
    const { actions } = aShop((_args, times) => {
      if (times === 1) throw new ActionRefused('busy', 'later', { retryable: true });
      return {};
    });
    expect(await actions(invoke())).toMatchObject({ status: 503, body: { error: { code: 'busy', retryable: true } } });
    expect((await actions(invoke())).status).toBe(200);
  });

  it('rethrows other errors of a handler, and runs it again with the next call', async () => {
    const { actions } = aShop((_args, times) => {
      if (times === 1) throw new Error('database unavailable');
      return {};
    });
    await expect(actions(invoke())).rejects.toThrow('database unavailable');
    expect((await actions(invoke())).status).toBe(200);
  });

  it('lets one call take over a claim whose lease has expired', async () => {
    const store = memoryStore();
    expect(await store.claim('arun_1', -1)).toBe(true); // its process died
    expect(await Promise.all([store.claim('arun_1', 1_000), store.claim('arun_1', 1_000)])).toEqual([true, false]);
  });
});

describe('action.status', () => {
  it('returns not_found, pending, succeeded or failed', async () => {
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

  it('returns pending for a call that was accepted with 202', async () => {
    const actions = actionHandler({ my_order: withIdempotency(memoryStore())(() => ({ accepted: true })) });
    expect((await actions(invoke())).status).toBe(202);
    expect((await actions(status('arun_1'))).body).toEqual({ status: 'pending' });
  });

  it('returns 501 without a store instead of not_found, which would cause a retry', async () => {
    const actions = actionHandler({ my_order: () => ({ output: {} }) });
    expect(await actions(status('arun_1'))).toMatchObject({ status: 501 });
  });
});

describe('actionHandler', () => {
  it('returns 409 after the deadline', async () => {
    const { actions, times } = aShop();
    const late = await actions(invoke({ deadline: new Date(Date.now() - 1).toISOString() }));
    expect(late).toMatchObject({ status: 409, body: { error: { code: 'too_late', retryable: true } } });
    expect(times()).toBe(0);
  });

  it.each(['nothing', 'constructor', '__proto__'])('returns 404 for the unknown action %s', async (action) => {
    const { actions } = aShop();
    expect(await actions(invoke({ action }))).toMatchObject({
      status: 404,
      body: { error: { code: 'unknown_action' } },
    });
  });
});
