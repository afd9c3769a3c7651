import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { isFull } from '../tools/testing/size.ts';
import { aBrowser, demo, signIn, waitForHydration } from './browser.ts';
import { aChat } from './people.ts';

const api = (path: string, init: { token: string; body?: object }) =>
  fetch(`${demo.apiUrl}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${init.token}`,
      origin: new URL(demo.siteUrl).origin,
      'content-type': 'application/json',
    },
    body: JSON.stringify(init.body ?? {}),
  });

async function download(page: Page, name: string) {
  const waiting = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  await page.getByRole('menuitem', { name }).click();
  const file = await waiting;
  const [head = '', ...lines] = readFileSync(await file.path(), 'utf8')
    .trim()
    .split('\r\n');
  return { name: file.suggestedFilename(), head, lines };
}

test('a rating with a comment after closing appears in the figures, the comments and the CSV', async () => {
  const rate = async ({ sessionToken, conversationId: id }: Awaited<ReturnType<typeof aChat>>, text: string) => {
    const body = { rating: 5, comment: text };
    const rated = await api(`/widget/conversations/${id}/rating`, { token: sessionToken, body });
    expect(rated.status).toBe(200);
  };
  // More than a page of comments.
  const earlier = Array.from({ length: 10 }, () => aChat('How long does delivery take?'));
  for (const each of await Promise.all(earlier)) await rate(each, 'Earlier');
  const chat = await aChat('How long does delivery take?');
  const { conversationId } = chat;
  const { page, problems } = await aBrowser();
  await signIn(page);
  const closed = await page.context().request.post(`${demo.portalUrl}/api/conversations/${conversationId}/close`, {
    headers: { 'x-requested-with': 'portal', origin: new URL(demo.portalUrl).origin },
  });
  expect(closed.status(), await closed.text()).toBe(200);
  const confirmed = async () => {
    await page.goto(`${demo.portalUrl}/insights?channel=website`);
    const row = page.getByRole('row').filter({ hasText: 'Resolved, confirmed' });
    return Number((await row.getByRole('cell').nth(1).innerText()).replaceAll(',', ''));
  };
  const before = await confirmed();
  const comment = `=1+1 quick and clear ${crypto.randomUUID().slice(0, 6)}`;
  await rate(chat, comment);
  expect(await confirmed()).toBeGreaterThan(before);
  const comments = page.getByRole('region', { name: 'Comments' });
  await comments.getByText(comment).waitFor();
  await waitForHydration(page);
  await comments.getByRole('link', { name: 'Next page' }).click();
  await page.waitForURL(/commentsCursor=/);
  await comments.getByText(comment).waitFor({ state: 'detached' });
  await comments.getByText('Earlier').first().waitFor();
  await page.getByRole('button', { name: 'Remove filter: Channel' }).click();
  await comments.getByText(comment).waitFor(); // from the newest on again
  const { name, head, lines } = await download(page, 'Conversations');
  expect(name).toMatch(/^conversations-\d{4}-\d\d-\d\d-to-\d{4}-\d\d-\d\d\.csv$/);
  expect(head).toContain('"outcome","came_back","messages","rating","comment"');
  const row = lines.find((line) => line.includes(conversationId)) ?? '';
  expect(row).toContain('"resolved_confirmed"');
  expect(row).toContain(`"'${comment}"`); // not a formula
  expect(problems).toEqual([]);
});

test.runIf(isFull)('filters and the period are in the URL, and each filter can be removed', async () => {
  await aChat('How long does delivery take?');
  const { page } = await aBrowser();
  await signIn(page);
  await page.goto(`${demo.portalUrl}/insights`);
  await waitForHydration(page);
  await page.getByRole('link', { name: '7 days' }).click();
  await page.waitForURL(/from=/);
  await page.getByRole('button', { name: 'Channel' }).click();
  await page.getByRole('menuitem', { name: 'Website' }).click();
  await page.waitForURL(/channel=website/);
  expect(page.url()).toContain('from=');
  await page.reload();
  await page.getByRole('button', { name: 'Channel: Website' }).waitFor();
  await page.getByRole('button', { name: 'Remove filter: Channel' }).click();
  await page.waitForURL((url) => !url.searchParams.has('channel'));
});

test('downloads the figures of the charts as CSV, one line per day', async () => {
  await aChat('How long does delivery take?');
  const { page } = await aBrowser();
  await signIn(page);
  await page.goto(`${demo.portalUrl}/insights`);
  const { name, head, lines } = await download(page, 'Figures per day');
  expect(name).toMatch(/^insights-\d{4}-\d\d-\d\d-to-\d{4}-\d\d-\d\d\.csv$/);
  expect(head).toBe(
    'day,conversations,handedOff,answered,unanswered,closed,messages,ratings,ratingAverage,responseSeconds,spend',
  );
  expect(lines).toHaveLength(30);
  const started = lines.reduce((sum, line) => sum + Number(line.split(',')[1]), 0);
  expect(started).toBeGreaterThan(0);
  await page.goto(`${demo.portalUrl}/insights?from=2026-01-01&to=2020-01-01`);
  await page.getByRole('heading', { level: 1 }).waitFor(); // an invalid range shows a message instead of an error
});
