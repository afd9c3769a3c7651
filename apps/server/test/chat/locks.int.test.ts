import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { acceptMessage } from '../../src/features/conversations/visitor/accept.ts';
import { plans } from '../../src/features/entitlements/plans.ts';
import { newId } from '../../src/platform/ids.ts';
import { aTenant, inside, countLockWaits, type TestTenant } from '../harness.ts';
import { aTalkingContact, aTalkingVisitor } from '../rules/chats.ts';
import { testEvent } from '../webhooks/fixture.ts';
import { emit } from '../../src/platform/events.ts';
import { aBot, type TestBot } from './fixture.ts';

test('does not deadlock when a new contact’s first message and the end of a turn run concurrently', async () => {
  const tenant = await aTenant();
  await aBot(tenant);
  const { session } = await aTalkingContact(tenant, { text: 'hello', externalUserId: 'known' });
  const contact = { id: newId('contact'), externalUserId: 'new', email: 'new@example.com' };
  const newcomer = { ...session, visitorId: newId('visitor'), label: 'new', contact };
  let accepting: Promise<unknown> = Promise.resolve();
  await inside(tenant.tenantId, async (ctx) => {
    // Same order as the end of a turn: counters first, then the event.
    await sql`update usage_days set messages = messages`.execute(ctx.tx);
    accepting = inside(tenant.tenantId, (other) =>
      acceptMessage(other, newcomer, { message: 'hello' }, plans.enterprise),
    );
    accepting.catch(() => {});
    await expect.poll(countLockWaits, { timeout: 5_000 }).toBeGreaterThan(0);
    await emit(ctx, testEvent, 'subject', { object: { n: 1 } });
  });
  await expect(accepting).resolves.toMatchObject({ isRepeat: false });
});

test('does not deadlock when two requests close conversations of the same bots in opposite orders', async () => {
  const tenant = await aTenant();
  const { workspaceId } = tenant;
  const created = await tenant.post('/bots', { workspaceId, name: 'Second' });
  const second = created.json<{ bot: { id: TestTenant['botId'] } }>().bot.id;
  const bots = [await aBot(tenant), await aBot({ ...tenant, botId: second })] as const;
  const talkTo = async (bot: TestBot) => (await aTalkingVisitor(bot, 'hello')).conversationId;
  const requests = [
    [await talkTo(bots[0]), await talkTo(bots[1])],
    [await talkTo(bots[1]), await talkTo(bots[0])],
  ];
  const closing = await inside(tenant.tenantId, async ({ tx }) => {
    // Both have counted their first conversation when they wait for the run of their second one.
    const later = requests.map(([, id]) => id);
    await sql`select from action_runs where conversation_id = any (${later}::text[]) for update`.execute(tx);
    const sent = Promise.all(requests.map((ids) => tenant.post('/conversations/bulk', { action: 'close', ids })));
    await expect.poll(countLockWaits, { timeout: 5_000 }).toBe(2);
    return { sent };
  });
  for (const [n, { statusCode, body }] of (await closing.sent).entries()) {
    expect(statusCode, body).toBe(200);
    expect(JSON.parse(body)).toEqual({ changed: requests[n], unchanged: [] });
  }
});
