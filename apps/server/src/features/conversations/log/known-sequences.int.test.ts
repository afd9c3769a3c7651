import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { admin, aTenant, inside } from '../../../../test/harness.ts';
import { newId } from '../../../platform/ids.ts';
import { lock } from '../conversations.store.ts';
import { noteLastSeq } from './known-sequences.ts';
import { append } from './log.store.ts';

async function aConversation() {
  const { tenantId, botId, environmentId } = await aTenant();
  const [id, versionId] = [newId('conversation'), newId('botVersion')];
  await sql`insert into bot_versions (tenant_id, id, bot_id, number, content_hash, content, created_by)
    values (${tenantId}, ${versionId}, ${botId}, 1, '', '{}', 'test')`.execute(admin);
  const expiresAt = new Date(Date.now() + 86_400_000);
  await admin
    .insertInto('conversations')
    .values({ tenantId, id, botId, environmentId, versionId, expiresAt, lastSeq: 7 })
    .execute();
  const seqs = async () =>
    (await admin.selectFrom('conversationEvents').select('seq').where('conversationId', '=', id).execute()).map(
      ({ seq }) => seq,
    );
  return { tenantId, id, seqs };
}
const entries = ['one', 'two'].map((type) => ({ type, payload: {} }));

test('appending to a conversation returns the same sequence numbers, whether it was locked before or not', async () => {
  const { tenantId, id, seqs } = await aConversation();
  await inside(tenantId, async (ctx) => {
    expect(await append(ctx, id, entries)).toEqual([8, 9]);
    expect(await append(ctx, id, entries)).toEqual([10, 11]); // known by now
  });
  await inside(tenantId, async (ctx) => {
    await lock(ctx.tx, id);
    expect(await append(ctx, id, entries)).toEqual([12, 13]);
  });
  expect((await seqs()).toSorted((a, b) => a - b)).toEqual([8, 9, 10, 11, 12, 13]);
});

test('a wrong sequence number fails the transaction, and so does a conversation that does not exist', async () => {
  const { tenantId, id, seqs } = await aConversation();
  const withWrongSeq = inside(tenantId, async (ctx) => {
    noteLastSeq(ctx.tx, id, 6);
    await append(ctx, id, entries);
  });
  await expect(withWrongSeq).rejects.toMatchObject({ code: '23502', column: 'seq' });
  const missing = inside(tenantId, (ctx) => append(ctx, newId('conversation'), entries));
  await expect(missing).rejects.toMatchObject({ code: '23502', column: 'seq' });
  expect(await seqs()).toEqual([]);
});
