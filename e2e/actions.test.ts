import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { isFull } from '../tools/testing/size.ts';
import { aBrowser, demo, signedIn, signIn } from './browser.ts';
import { aShop } from './a-shop.ts';
import { aColleague, aNewcomer, post } from './people.ts';
import { open, region, press, pressIn } from './steps.ts';

const slow = { timeout: 60_000 };
const json = (page: Page) => page.getByLabel('Action JSON');
const nameOf = (page: Page) => page.getByLabel(/^Name/);
/** Opens an editor page and waits for hydration. */
const openEditor = async (page: Page, path: string) => {
  await open(page, path);
  await region(page, 'JSON').waitFor();
};

test('an action is edited in a form and in JSON, tested with a signed call, published, used by a visitor and listed in the runs', async () => {
  const shop = await aShop();
  const { page, problems } = await signedIn();
  await open(page, `/bots/${shop.id}/actions`);
  await page.getByText('No actions yet').waitFor();
  await page.getByRole('link', { name: 'Add action' }).click();
  await region(page, 'JSON').waitFor();

  // Changes in the form appear in the JSON.
  await page.getByLabel('Title').fill('Order status');
  expect(await nameOf(page).inputValue()).toBe('order_status');
  await page.getByLabel('Endpoint').selectOption(shop.webhookId);
  await page.getByLabel('Phrases').fill('where is my order\ntrack my parcel\n');
  await press(page, 'Add input');
  await page.keyboard.type('orderId'); // the new field has the focus, its name selected
  const field = page.getByRole('group', { name: 'Input 1' });
  await field.getByLabel('Label').fill('Order number');
  await field.getByLabel('Pattern (optional)').fill('^[A-Z]-[0-9]{4}$');
  await field.getByLabel('Question (optional)').fill('Which order is it?');
  await field.getByLabel('Required').check();
  const written = JSON.parse(await json(page).inputValue()) as Record<string, unknown>;
  expect(written).toMatchObject({
    name: 'order_status',
    title: 'Order status',
    webhookId: shop.webhookId,
    triggers: ['where is my order', 'track my parcel'],
    questions: { orderId: 'Which order is it?' },
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      required: ['orderId'],
      properties: { orderId: { type: 'string', title: 'Order number', pattern: '^[A-Z]-[0-9]{4}$' } },
    },
  });

  // Changes in the JSON appear in the form; invalid JSON is reported by line, and nothing is lost.
  const text = await json(page).inputValue();
  await json(page).fill(text.replace('"description": ""', '"description": "Looks up where an order is."'));
  expect(await page.getByLabel('Description').inputValue()).toBe('Looks up where an order is.');
  await json(page).fill(text.replace('"title": "Order status",', '"title": "Order status"'));
  await page.getByText(/^JSON, line 4, column \d+: This isn’t valid JSON/).waitFor();
  expect(await page.getByRole('button', { name: 'Add action' }).isDisabled()).toBe(true);
  expect(await page.getByLabel('Title').isDisabled()).toBe(true);
  await press(page, 'Restore last valid version');
  expect(await page.getByLabel('Description').inputValue()).toBe('Looks up where an order is.');

  // Validation errors appear at the field.
  await nameOf(page).fill('Order Status');
  await press(page, 'Add action');
  await page
    .locator('.mantine-TextInput-error')
    .getByText(/^Use lower case, digits and underscores/)
    .waitFor();
  await nameOf(page).fill('order_status');
  await press(page, 'Add action');
  await page.waitForURL(/\/actions\/act_/);
  await page.getByText('Saved to draft').waitFor();

  const testPanel = region(page, 'Test action');
  await testPanel.getByLabel('Order number').fill('A-1001');
  await press(page, 'Run test');
  const result = region(page, 'Result');
  await result.getByText('The action succeeded.').waitFor(slow);
  const sent = await region(page, 'URL and headers').innerText();
  expect(sent).toContain(`POST ${demo.receiverUrl}/`);
  expect(sent).toMatch(/x-service-signature: \S+/);
  const body = JSON.parse(await region(page, 'Request body (formatted)').innerText()) as object;
  expect(body).toMatchObject({
    type: 'action.invoke',
    action: 'order_status',
    test: true,
    input: { orderId: 'A-1001' },
  });
  expect(await region(page, 'Status and headers').innerText()).toContain('HTTP 200');
  expect(JSON.parse(await region(page, 'Response body').innerText())).toMatchObject({
    output: { orderId: 'A-1001' },
  });
  await page.getByLabel('Description').fill('Looks up an order.');
  await testPanel.getByText(/^The test uses the saved action/).waitFor();
  await page.keyboard.press('Control+s');
  await page.getByText('Saved to draft').waitFor();

  await press(page, 'Publish…');
  await page.getByRole('dialog').getByText('actions', { exact: true }).waitFor();
  await pressIn(page, /^Publish/, 'Publish to live');
  await page.getByText(/^Published version 1 to live/).waitFor(slow);
  // The draft no longer differs from the published version, so there is nothing to publish.
  await page.getByRole('button', { name: 'Publish…' }).waitFor({ state: 'detached', ...slow });
  const visitor = await shop.visitor();
  const { conversationId, reply } = await visitor.say('Where is my order A-1001?');
  expect(reply?.text).toContain('A-1001');

  await open(page, '/developers/runs');
  const mine = region(page, 'Run list')
    .getByRole('row')
    .filter({ has: page.locator(`[href$="${conversationId}"]`) });
  await mine.getByText('Succeeded', { exact: true }).waitFor();
  await mine.getByRole('link', { name: 'Order status' }).click();
  const attempts = region(page, 'Attempts');
  for (const text of ['Attempt 1', 'HTTP 200', 'Succeeded.']) await attempts.getByText(text, { exact: true }).waitFor();
  expect(await region(page, 'As your system receives them').innerText()).toContain('"A-1001"');
  await page
    .getByRole('link', { name: 'View conversation' })
    .and(page.locator(`[href$="${conversationId}"]`))
    .waitFor();
  expect(problems).toEqual([]);
});

test('a write with an unknown result is listed first, stays unknown after a status check, and ends when a member records the result', async () => {
  const shop = await aShop();
  // The shop's response does not match the output schema, so the result is unknown.
  await shop.addAction({
    name: 'order_status',
    title: shop.name,
    risk: 'write',
    effect: 'at_most_once',
    triggers: ['cancel my order'],
    outputSchema: {
      type: 'object',
      additionalProperties: false,
      required: ['ticket'],
      properties: { ticket: { type: 'string' } },
    },
  });
  await shop.publish();
  const visitor = await shop.visitor();
  const { conversationId } = await visitor.say('cancel my order A-1001');
  const card = (await visitor.log(conversationId)).find(({ type }) => type === 'confirmation.required');
  if (!card) throw new Error('no confirmation was requested');
  await visitor.confirm(conversationId, card.data);
  const run = async () => (await shop.read<{ run: { state: string } }>(`/action-runs/${card.data.runId}`)).run.state;
  await expect.poll(run, slow).toBe('unknown');

  const { page, problems } = await signedIn();
  await open(page, '/developers/runs');
  const unknown = region(page, 'Needs review');
  const headings = await page.getByRole('heading', { level: 2 }).allInnerTexts();
  expect(headings).toEqual(['Needs review', 'All runs']);
  await unknown.getByRole('link', { name: shop.name }).click();
  await page.getByText(/^We don’t know whether the action ran/).waitFor();
  await page.getByText(/^Confirmed by the visitor,/).waitFor();
  await region(page, 'Attempts').getByText('Unknown').waitFor();
  await press(page, 'Check status');
  await page.getByText(/^Your system gave no clear response/).waitFor(slow);
  await region(page, 'Attempts').getByText('Attempt 2: status check').waitFor();

  await page.getByLabel('The action succeeded').check();
  await page.getByLabel('Note (optional)').fill('Found in the books.');
  await press(page, 'Record result');
  await page.getByText('Succeeded (resolved)').waitFor(slow);
  await page.getByText('Found in the books.').waitFor();
  expect(await run()).toBe('reconciled');
  const botMessages = async () =>
    (await visitor.log(conversationId)).filter(({ data }) => data.message?.role === 'bot').length;
  await expect.poll(botMessages, slow).toBeGreaterThanOrEqual(2);
  await page.getByRole('link', { name: 'All runs' }).click();
  await region(page, 'Run list').getByText('Succeeded (resolved)').first().waitFor();
  expect(await unknown.getByRole('link', { name: shop.name }).count()).toBe(0);
  expect(problems).toEqual([]);
});

test('deletes an action by name unless it is a step, lists steps in the form and asks before discarding changes', async () => {
  const shop = await aShop();
  const [statusId, other] = [
    await shop.addAction({ name: 'order_status', title: 'Order status' }),
    await shop.addAction({ name: 'unused', title: 'Unused' }),
  ];
  const input = { orderId: { from: '/input/orderId' } };
  const flow = await shop.addAction({
    name: 'flow',
    title: 'Flow',
    webhookId: null,
    steps: [{ name: 'first_step', actionId: statusId, input }],
  });
  const { page, problems } = await signedIn();
  await openEditor(page, `/bots/${shop.id}/actions/${flow}`);
  await page.getByText('Edit steps in the JSON.', { exact: false }).waitFor();
  await page.getByRole('listitem').filter({ hasText: 'first_step' }).waitFor();
  await page.getByLabel('Title').fill('Another title');
  await page.getByRole('link', { name: 'All actions' }).click();
  await pressIn(page, 'Leave without saving?', 'Leave without saving');
  await region(page, 'Action list').getByText('1 step').waitFor();

  await openEditor(page, `/bots/${shop.id}/actions/${statusId}`);
  await press(page, 'Delete…');
  await page.getByLabel(/^Type order_status/).fill('order_status');
  await pressIn(page, 'Delete this action?', 'Delete action');
  await page.getByText('This action is a step of flow. Remove it from there first.').waitFor();
  await openEditor(page, `/bots/${shop.id}/actions/${other}`);
  await press(page, 'Delete…');
  await page.getByLabel(/^Type unused/).fill('unused');
  await pressIn(page, 'Delete this action?', 'Delete action');
  await region(page, 'Action list').waitFor();
  expect(await page.getByText('Unused').count()).toBe(0);
  expect(problems).toEqual([]);
});

test.runIf(isFull)(
  'shows a viewer which roles can change actions, and a free plan which plans include them',
  async () => {
    const shop = await aShop();
    const id = await shop.addAction({ name: 'order_status', title: 'Order status' });
    const viewer = await aBrowser();
    await signIn(viewer.page, await aColleague('viewer'));
    await open(viewer.page, `/bots/${shop.id}/actions`);
    expect(await viewer.page.getByRole('button', { name: 'Add action' }).isDisabled()).toBe(true);
    const roles = /^Only owners, admins or developers can do this/;
    await viewer.page.getByText(roles).first().waitFor();
    await openEditor(viewer.page, `/bots/${shop.id}/actions/${id}`);
    await viewer.page.getByText(roles).first().waitFor();
    expect(await viewer.page.getByRole('button', { name: 'Run test' }).isDisabled()).toBe(true);

    const newcomer = await aNewcomer();
    const { accessToken } = await post<{ accessToken: string }>('/auth/login', newcomer);
    const headers = { authorization: `Bearer ${accessToken}` };
    const { bot } = await post<{ bot: { id: string } }>('/bots', { name: 'Nori', draft: { title: 'Nori' } }, headers);
    const { page } = await aBrowser();
    await signIn(page, newcomer);
    await open(page, `/bots/${bot.id}/actions`);
    await page.getByText('Private actions are available on the Team and Enterprise plans.').first().waitFor();
    await open(page, '/developers/runs');
    await page.getByText('Private actions are available on the Team and Enterprise plans.', { exact: false }).waitFor();
  },
);
