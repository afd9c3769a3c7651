import { sql } from 'kysely';
import { expect, inject, test } from 'vitest';
import { connect } from '../apps/server/src/platform/db.ts';
import { anEndpoint } from './an-endpoint.ts';
import { demo, signedIn } from './browser.ts';
import { aChat } from './people.ts';
import { open, part, press, pressIn } from './steps.ts';

const many = 60_000;
/** Deliveries that were given up today: so many that a replay of them takes a while. */
async function layOut(webhookId: string) {
  await using db = connect(inject('databaseUrl'), { max: 1 });
  await sql`set timezone = 'UTC'`.execute(db);
  await sql`insert into webhook_deliveries (tenant_id, id, webhook_id, event_id, event_type, position, is_replay, status, attempts, log, created_at)
    select ${demo.tenantId}, directory.first_id('dlv', date_trunc('day', now())) || lpad(to_hex(n), 16, '0'), ${webhookId},
      directory.first_id('evt', date_trunc('day', now())) || lpad(to_hex(n), 16, '0'), 'message.created', n, false, 'exhausted', 1, '[]', now()
    from generate_series(1, ${many}::int) as n`.execute(db);
}

test('what is paused is held until it is resumed; a long replay is found again by its address and cancelled; removed is gone', async () => {
  const { page, problems } = await signedIn();
  const { host } = new URL(demo.receiverUrl);
  const { id, address, description, secret, putSecret, ids } = await anEndpoint(page);
  await putSecret(secret);
  await press(page, 'Pause and hold');
  await part(page, 'Health').getByText('Paused, holding').waitFor();
  const { conversationId } = await aChat('Can I send it back?');
  const held = async () => {
    await open(page, address);
    return Number(/(\d+) deliver(?:y|ies) held/.exec(await part(page, 'Health').innerText())?.[1]);
  };
  await expect.poll(held).toBeGreaterThanOrEqual(3);
  expect(await ids(conversationId)).toEqual([]);
  await press(page, 'Resume');
  await expect.poll(() => ids(conversationId)).toHaveLength(3);
  await part(page, 'Health').getByText('Calls are answered.').waitFor();

  await press(page, 'Pause and hold');
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  await layOut(id);
  await press(page, 'Replay a range');
  await pressIn(page, 'Replay a range', 'Replay');
  const replay = part(page, 'Replay');
  const soFar = async () =>
    Number(/(\d+) deliver(?:y|ies) put into the queue so far/.exec(await replay.innerText())?.[1]);
  await replay.getByText(/^Looking through the log/).waitFor();
  await replay.getByRole('progressbar', { name: 'Progress of the replay' }).waitFor();
  const [watched, seen] = [page.url(), await soFar()];
  await page.getByRole('link', { name: 'All endpoints' }).click();
  await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
  await page.goto(watched);
  await expect.poll(soFar).toBeGreaterThan(seen);
  await press(page, 'Cancel replay');
  await replay.getByText(/^Cancelled\. \d+ deliveries had been put into the queue before\./).waitFor();
  const queued = Number(/Cancelled\. (\d+)/.exec(await replay.innerText())?.[1]);
  expect(queued).toBeGreaterThan(seen);
  expect(queued).toBeLessThan(many);

  await press(page, 'Remove endpoint');
  const remove = page.getByRole('dialog').getByRole('button', { name: 'Remove endpoint' });
  expect(await remove.isDisabled()).toBe(true);
  await page.getByLabel(`Type ${host} to confirm`).fill(host);
  await remove.click();
  await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
  await part(page, 'Table of your endpoints').waitFor();
  expect(await page.getByText(description).count()).toBe(0);
  expect((await page.goto(watched))?.status()).toBe(404);
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  expect(problems).toEqual([]);
});
