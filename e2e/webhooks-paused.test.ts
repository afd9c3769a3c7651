import { sql } from 'kysely';
import { expect, inject, test } from 'vitest';
import { connect } from '../apps/server/src/platform/db.ts';
import { anEndpoint } from './an-endpoint.ts';
import { demo, signedIn } from './browser.ts';
import { aChat } from './people.ts';
import { open, region, press, pressIn } from './steps.ts';

const many = 60_000;
/** Deliveries that failed today: so many that replaying them takes a while. */
async function seedFailedDeliveries(webhookId: string) {
  await using db = connect(inject('databaseUrl'), { max: 1 });
  await sql`set timezone = 'UTC'`.execute(db);
  await sql`insert into webhook_deliveries (tenant_id, id, webhook_id, event_id, event_type, position, is_replay, status, attempts, log, created_at)
    select ${demo.tenantId}, directory.first_id('dlv', date_trunc('day', now())) || lpad(to_hex(n), 16, '0'), ${webhookId},
      directory.first_id('evt', date_trunc('day', now())) || lpad(to_hex(n), 16, '0'), 'message.created', n, false, 'exhausted', 1, '[]', now()
    from generate_series(1, ${many}::int) as n`.execute(db);
}

test('keeps deliveries of a paused endpoint until it is resumed; cancels a long replay after reopening its URL; deletes the endpoint', async () => {
  const { page, problems } = await signedIn();
  const { host } = new URL(demo.receiverUrl);
  const { id, pagePath, description, secret, putSecret, ids } = await anEndpoint(page);
  await putSecret(secret);
  await press(page, 'Pause');
  await region(page, 'Health').getByText('Paused', { exact: true }).waitFor();
  const { conversationId } = await aChat('Can I send it back?');
  const onHold = async () => {
    await open(page, pagePath);
    return Number(/(\d+) deliver(?:y|ies) on hold/.exec(await region(page, 'Health').innerText())?.[1]);
  };
  await expect.poll(onHold).toBeGreaterThanOrEqual(3);
  expect(await ids(conversationId)).toEqual([]);
  await press(page, 'Resume');
  await expect.poll(() => ids(conversationId)).toHaveLength(3);
  await region(page, 'Health').getByText('Deliveries are succeeding.').waitFor();

  await press(page, 'Pause');
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  await seedFailedDeliveries(id);
  await press(page, 'Replay events');
  await pressIn(page, 'Replay events', 'Start replay');
  const replay = region(page, 'Replay');
  const queuedSoFar = async () => Number(/(\d+) deliver(?:y|ies) queued so far/.exec(await replay.innerText())?.[1]);
  await replay.getByText(/^Queuing events/).waitFor();
  await replay.getByRole('progressbar', { name: 'Replay progress' }).waitFor();
  const [replayUrl, queuedBefore] = [page.url(), await queuedSoFar()];
  await page.getByRole('link', { name: 'All endpoints' }).click();
  await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
  await page.goto(replayUrl);
  await expect.poll(queuedSoFar).toBeGreaterThan(queuedBefore);
  await press(page, 'Cancel replay');
  await replay.getByText(/^Cancelled after queuing \d+ deliveries\./).waitFor();
  const queued = Number(/Cancelled after queuing (\d+)/.exec(await replay.innerText())?.[1]);
  expect(queued).toBeGreaterThan(queuedBefore);
  expect(queued).toBeLessThan(many);

  await press(page, 'Delete endpoint');
  const remove = page.getByRole('dialog').getByRole('button', { name: 'Delete endpoint' });
  expect(await remove.isDisabled()).toBe(true);
  await page.getByLabel(`Type ${host} to confirm`).fill(host);
  await remove.click();
  await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
  await region(page, 'Endpoint list').waitFor();
  expect(await page.getByText(description).count()).toBe(0);
  expect((await page.goto(replayUrl))?.status()).toBe(404);
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  expect(problems).toEqual([]);
});
