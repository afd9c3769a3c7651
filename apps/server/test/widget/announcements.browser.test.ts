import type { Page } from 'playwright-core';
import { afterAll, expect, test, vi } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import { aWidgetSite } from './fixture.ts';
import { eventually } from './helpers.ts';
import {
  aScene,
  visitorEntry,
  interceptMessages,
  ofChat,
  errorResponse,
  replyEntry,
  sendMessage,
  sizes,
  appendEntries,
  conversationOf,
  type Scene,
} from './scene.ts';

// Screen reader announcements.

vi.setConfig({ testTimeout: 120_000 });
const site = await aWidgetSite({ answers: { mode: 'model' } });
afterAll(site.close);

/** Records everything written to live regions from now on. */
const listenIn = (scene: Scene) =>
  ofChat(
    scene,
    `void (() => {
      const heard = (window.spoken = []);
      for (const place of panel.querySelectorAll('[role=status]'))
        new MutationObserver(() => place.textContent && heard.push(place.textContent))
          .observe(place, { childList: true, characterData: true, subtree: true });
    })()`,
  );
const announcements = (scene: Scene) => ofChat<string[]>(scene, 'window.spoken');
const expectAnnounced = (scene: Scene, ...all: unknown[]) => eventually(() => announcements(scene)).toEqual(all);

async function opened(size: 'desktop' | 'phone' = 'desktop') {
  const scene = await aScene(site, sizes[size]);
  await scene.launcher.click();
  await scene.field.waitFor();
  await listenIn(scene);
  return scene;
}
const answered = (scene: Scene, count: number) =>
  scene.panel
    .locator('.thumb.down')
    .nth(count - 1)
    .waitFor();

interface AxNode {
  role?: { value: string };
  name?: { value: string };
  ignored: boolean;
  properties?: { name: string; value: { value: unknown } }[];
}
/** The accessibility tree. */
async function treeOf(page: Page) {
  const session = await page.context().newCDPSession(page);
  const { nodes } = (await session.send('Accessibility.getFullAXTree')) as { nodes: AxNode[] };
  const exposed = nodes
    .filter(({ ignored }) => !ignored)
    .map(({ role, name, properties = [] }) => ({
      role: role?.value,
      name: name?.value ?? '',
      ...Object.fromEntries(properties.map((property) => [property.name, property.value.value])),
    }));
  return (role: string) => exposed.filter((node) => node.role === role);
}

test('announces a reply once, complete and with its sender, and nothing while it streams', async () => {
  const scene = await opened();
  await scene.page.clock.install();
  const sentence = scene.texts.replyTokens.slice(0, 8).join(' ');
  const { promise: until, resolve: goOn } = Promise.withResolvers<void>();
  site.model.script = () => ({ tokens: sentence.split(' '), everyMs: 10, pause: { after: 4, until } });
  await sendMessage(scene, 'First?');
  await scene.panel.getByText(scene.texts.replyTokens.slice(0, 3).join(' ')).waitFor();
  expect(await announcements(scene), 'while it is written').toEqual([]);
  goOn();
  await answered(scene, 1);
  await expectAnnounced(scene, `Northlight Help: ${sentence}`);
  site.model.script = () => ({ tokens: ['**Yes**,', 'again.'], everyMs: 10 });
  await sendMessage(scene, 'Second?');
  await answered(scene, 2);
  await expectAnnounced(scene, `Northlight Help: ${sentence}`, 'Northlight Help: Yes, again.');
  await scene.page.clock.fastForward(4_000);
  await eventually(() => scene.panel.locator('.sr[role=status]').innerText()).toBe('');
  expect(await announcements(scene)).toHaveLength(2);
});

test('announces typing only if the reply takes a while', async () => {
  const scene = await opened();
  await sendMessage(scene, 'First?');
  await answered(scene, 1);
  await scene.page.clock.install();
  await listenIn(scene);
  await scene.page.clock.pauseAt(Date.now() + 1_000);
  const turnId = newId('turn');
  await appendEntries(scene, visitorEntry('Slow?', turnId));
  await scene.panel.locator('.typing').waitFor();
  await scene.page.clock.runFor(2_400);
  expect(await announcements(scene)).toEqual([]);
  await scene.page.clock.runFor(200);
  await expectAnnounced(scene, 'Northlight Help is typing…');
  await appendEntries(scene, { ...replyEntry('Here.'), turnId });
  await expectAnnounced(scene, 'Northlight Help is typing…', 'Northlight Help: Here.');
});

test('announces a failed turn, a rejected message and a lost connection, each once', async () => {
  const scene = await opened();
  await sendMessage(scene, 'First?');
  await answered(scene, 1);
  await listenIn(scene);
  const turnId = newId('turn');
  await appendEntries(scene, visitorEntry('And?', turnId), {
    type: 'turn.failed',
    turnId,
    payload: { reason: 'internal' },
  });
  await expectAnnounced(scene, 'Sorry, something went wrong.');
  await interceptMessages(scene.context, errorResponse(403, 'No.'));
  await sendMessage(scene, 'Lost');
  await expectAnnounced(scene, expect.anything(), expect.stringContaining('Not sent.'));
  await scene.context.unrouteAll();
  await listenIn(scene);
  await scene.context.setOffline(true);
  await sendMessage(scene, 'Kept');
  await expectAnnounced(scene, expect.stringContaining('No connection'));
  await scene.field.pressSequentially('more words');
  expect(await announcements(scene), 'it is not said again with every key').toHaveLength(1);
  await scene.context.setOffline(false);
});

test('shows and announces an error in a sheet', async () => {
  const scene = await opened();
  await sendMessage(scene, 'First?');
  await answered(scene, 1);
  await listenIn(scene);
  await scene.panel.locator('[aria-controls=menu]').click();
  await scene.panel.locator('.item').last().click();
  await scene.context.route('**/widget/me', errorResponse(503, 'Not now.'));
  await scene.panel.locator('.sheet .bad').click();
  await expectAnnounced(scene, expect.stringContaining('That didn’t work.'));
  expect(await scene.panel.locator('.notice').isVisible()).toBe(true);
});

test('does not show or announce a handoff as a failure', async () => {
  const scene = await opened();
  await sendMessage(scene, 'First?');
  await answered(scene, 1);
  await listenIn(scene);
  const turnId = newId('turn');
  await appendEntries(
    scene,
    visitorEntry('And?', turnId),
    { type: 'turn.failed', turnId, payload: { reason: 'handed_off' } },
    { type: 'conversation.updated', payload: { state: 'human', agent: { id: 'usr_1', name: 'Kim' } } },
  );
  await expectAnnounced(scene, 'Kim joined the chat.');
  expect(await scene.panel.locator('.bad').count()).toBe(0);
});

test('announces thanks for a rating, and leaves the on-screen keyboard closed', async () => {
  const scene = await opened('phone');
  await sendMessage(scene, 'First?');
  await answered(scene, 1);
  await site.tenant.post(`/conversations/${await conversationOf(scene)}/close`, {});
  await scene.panel.locator('.face').nth(4).tap();
  await listenIn(scene);
  await scene.panel.locator('.rating .main').tap();
  await expectAnnounced(scene, 'Thank you!');
  expect(await ofChat<string>(scene, 'root.activeElement.id')).toBe('title');
});

test('does not announce or emit messages from the previous page again', async () => {
  const scene = await opened();
  await sendMessage(scene, 'First?');
  await answered(scene, 1);
  await appendEntries(scene, replyEntry('Second.'), replyEntry('Third.'));
  await scene.panel.getByText('Third.', { exact: true }).waitFor();
  await scene.page.addInitScript(`addEventListener('load', () => setTimeout(() => {
    window.told = [];
    Chatbot.on('message', ({ text }) => told.push(text));
  }))`);
  // Delayed until we record: the history comes with the session.
  let release = () => {};
  await scene.context.route('**/widget/sessions/anonymous', async (route) => {
    await new Promise<void>((resolve) => (release = resolve));
    await route.continue();
  });
  await scene.page.reload();
  await scene.panel.waitFor();
  await listenIn(scene);
  release();
  await scene.panel.getByText('Third.', { exact: true }).waitFor();
  await appendEntries(scene, replyEntry('Fourth.'));
  await expectAnnounced(scene, 'Northlight Help: Fourth.');
  expect(await scene.page.evaluate('told')).toEqual(['Fourth.']);
});

test('exposes a named dialog, a silent log and a status region on a desktop', async () => {
  const scene = await opened();
  const find = await treeOf(scene.page);
  expect(find('dialog')).toMatchObject([{ name: 'Northlight Help', modal: false }]);
  expect(find('log')).toMatchObject([{ name: 'Conversation' }]);
  expect(find('log')).not.toMatchObject([{ live: 'polite' }]); // the default of role=log
  expect(find('status').length).toBeGreaterThan(0);
  for (const node of find('status')) expect(node).toMatchObject({ live: 'polite', atomic: true });
  expect(find('textbox')).toMatchObject([{ name: 'Write a message…' }]);
  expect(find('button').map(({ name }) => name)).toEqual([
    'Close chat',
    'More options',
    'Close chat',
    ...scene.texts.quickReplies,
    'Send',
  ]);
  expect(find('heading').map(({ name }) => name)).toEqual([scene.texts.shop, 'Northlight Help']);
});

test('exposes only the dialog on a phone', async () => {
  const scene = await opened('phone');
  await eventually(async () => (await treeOf(scene.page))('dialog')).toMatchObject([
    { name: 'Northlight Help', modal: true },
  ]);
  const find = await treeOf(scene.page);
  expect(find('heading').map(({ name }) => name)).toEqual(['Northlight Help']);
  expect(find('link')).toEqual([]);
});
