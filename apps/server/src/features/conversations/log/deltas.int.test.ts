import { expect, onTestFinished, test } from 'vitest';
import { aBot, aVisitor } from '../../../../test/chat/fixture.ts';
import { followLive } from '../../../../test/chat/follow-live.ts';
import { api, aTenant, inside } from '../../../../test/harness.ts';
import { tokens } from '../../../../test/rules/chats.ts';
import { plans } from '../../entitlements/plans.ts';
import { updateTurn } from '../conversations.store.ts';
import { acceptMessage } from '../visitor/accept.ts';
import { createDeltaStream } from './live.ts';
import { append } from './log.store.ts';

/** A visitor whose reply is being written. */
async function aRunningTurn() {
  const tenant = await aTenant();
  const { tenantId } = tenant;
  const session = await tokens.readSession((await aVisitor(api.app, await aBot(tenant))).sessionToken);
  const { conversationId, turnId } = await inside(tenantId, (ctx) =>
    acceptMessage(ctx, session, { message: 'how much is delivery?' }, plans.enterprise),
  );
  if (!turnId) throw new Error('the bot does not answer');
  await inside(tenantId, async (ctx) => {
    await updateTurn(ctx.tx, conversationId, turnId, { status: 'running' });
    await append(ctx, conversationId, [{ type: 'turn.started', turnId, payload: {} }]);
  });
  const stop = new AbortController();
  const reply = { turnId, messageId: 'msg_1' };
  const follow = async (after = 0) => {
    const stream = await followLive(api.platform, tenantId, conversationId, after);
    onTestFinished(stream.end);
    return {
      ...stream,
      /** Whatever was published before this has arrived. */
      textSoFar: async () => {
        const seen = stream.events.length;
        await tenant.post(`/conversations/${conversationId}/typing`);
        await expect.poll(() => stream.events.slice(seen).some(({ event }) => event === 'typing')).toBe(true);
        const deltas = stream.events.filter(({ event }) => event === 'reply.delta');
        return deltas.map(({ data }) => (data as { text: string }).text).join('');
      },
    };
  };
  return {
    stop,
    follow,
    deltas: createDeltaStream(api.platform.signals, conversationId, reply, stop.signal),
    claim: async () => expect((await tenant.post(`/conversations/${conversationId}/claim`, {})).statusCode).toBe(200),
  };
}

test('sends no delta of a turn after its end, even if the worker still publishes some', async () => {
  const { follow, deltas, claim } = await aRunningTurn();
  const stream = await follow();
  deltas.add('It takes');
  expect(await stream.textSoFar()).toBe('It takes');
  await claim();
  await expect.poll(() => stream.events.some(({ event }) => event === 'turn.failed')).toBe(true);
  deltas.add(' two days.');
  deltas.end();
  expect(await stream.textSoFar()).toBe('It takes');
});

test('sends none to a visitor who reconnects after the claim', async () => {
  const { follow, deltas, claim } = await aRunningTurn();
  const earlier = await follow();
  deltas.add('It takes');
  await claim();
  await expect.poll(() => earlier.events.some(({ event }) => event === 'turn.failed')).toBe(true);
  const stream = await follow(earlier.lastSeq());
  deltas.add(' two days.');
  expect(await stream.textSoFar()).toBe('');
});

test('publishes nothing after the call of the model was aborted', async () => {
  const { follow, deltas, stop } = await aRunningTurn();
  const stream = await follow();
  deltas.add('It');
  deltas.add(' takes'); // batched
  stop.abort();
  deltas.add(' two days.');
  deltas.end();
  expect(await stream.textSoFar()).toBe('It');
});
