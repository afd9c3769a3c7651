import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { acceptMessage } from '../../src/features/conversations/visitor/accept.ts';
import { plans } from '../../src/features/entitlements/plans.ts';
import { newId } from '../../src/platform/ids.ts';
import { aTenant, inside, countLockWaits } from '../harness.ts';
import { aTalkingContact } from '../rules/chats.ts';
import { testEvent } from '../webhooks/fixture.ts';
import { emit } from '../../src/platform/events.ts';
import { aBot } from './fixture.ts';

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
