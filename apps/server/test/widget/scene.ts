import type { BrowserContext, BrowserContextOptions, Locator, Page, Route } from 'playwright-core';
import { onTestFinished } from 'vitest';
import type { Reply } from '../../../../tools/model/index.ts';
import { append, type Entry } from '../../src/features/conversations/log/log.store.ts';
import { argsHash, plantRun } from '../rules/actions.ts';
import type { Id } from '../../src/platform/ids.contract.ts';
import { newId } from '../../src/platform/ids.ts';
import { textOf } from '../chat/helpers.ts';
import { admin, inside } from '../harness.ts';
import { visit, type WidgetSite } from './fixture.ts';
import { said, type Said } from './said.ts';

// A chat on a page, and whatever may happen in it.

export interface Scene {
  site: WidgetSite;
  context: BrowserContext;
  page: Page;
  launcher: Locator;
  panel: Locator;
  field: Locator;
  isFramed: boolean;
  /** What is said, in the language of the scene. */
  words: Said;
}

export const sizes = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true },
} satisfies Record<string, BrowserContextOptions>;

interface Setting extends BrowserContextOptions {
  speaks?: 'en' | 'ar';
  isFramed?: boolean;
  /** One of the tenant's pages; else one that has nothing wrong with it. */
  path?: string;
}

/** Somebody new at a page with a chat on it, until the test is over. */
export async function aScene(
  site: WidgetSite,
  { speaks = 'en', isFramed = false, path, ...options }: Setting = {},
): Promise<Scene> {
  const words = said[speaks];
  const attributes = `data-locale="${speaks}" ${isFramed ? 'data-isolation="iframe"' : ''}`;
  const own = `/${speaks}${isFramed ? '-framed' : ''}`;
  site.site.pages.set(own, { html: aPage(speaks, words, site.embed(attributes)) });
  site.model.script = ({ messages }) => speak(textOf(messages.findLast(({ role }) => role === 'user')), words);
  const context = await site.newContext(options);
  onTestFinished(() => context.close());
  const page = await visit(context, `${site.site.url}${path ?? own}`);
  page.setDefaultTimeout(30_000); // how soon things come depends on what else the machine does
  const panel = isFramed
    ? page.frameLocator('parley-chat iframe').locator('dialog.panel')
    : page.locator('parley-chat dialog.panel');
  return {
    site,
    context,
    page,
    launcher: page.locator('parley-chat button[part=launcher]'),
    panel,
    field: panel.locator('.talk textarea'),
    isFramed,
    words,
  };
}

/** What an expression is worth in the page, where `root` is the widget's shadow root and `panel` the chat in it. */
export function ofChat<T>({ page, isFramed }: Scene, expression: string): Promise<T> {
  const frame = (isFramed && page.frames()[1]) || page.mainFrame();
  const host = isFramed ? 'body > div' : 'parley-chat';
  return frame.evaluate<T>(`(() => {
    const root = document.querySelector('${host}').shadowRoot;
    const panel = root.querySelector('dialog.panel');
    return (${expression});
  })()`);
}

/** With landmarks and a heading: what is wrong on it is the chat's fault. */
const aPage = (locale: string, { shop, greeting, quickReplies, disclosure, title }: Said, embed: string) =>
  `<!doctype html><html lang="${locale}" dir="${locale === 'ar' ? 'rtl' : 'ltr'}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Shop</title><link rel="icon" href="data:,">
<style>body{margin:0;background:#fff;color:#111;font:16px/1.5 sans-serif}main{padding:16px;max-width:720px}</style></head>
<body><main><h1>${shop}</h1><p>${disclosure}</p><p><a href="#a">${quickReplies[0] ?? ''}</a></p></main>${embed}
<script>(window.Chatbot ??= Object.assign((...call) => window.Chatbot.q.push(call), { q: [] }))('set', ${JSON.stringify(
    { greeting, quickReplies, disclosure, title },
  )})</script></body></html>`;

/** How the model answers is in the question. */
function speak(question: string, { words, cutQuestion, streamQuestion }: Said): Reply {
  if (question.includes(cutQuestion)) return { words, everyMs: 10, resetAfter: 9 };
  // Still being written however long somebody looks: it ends when it is stopped.
  if (question.includes(streamQuestion)) return { words: Array(20).fill(words).flat() as string[], everyMs: 600 };
  return { words, everyMs: 5 };
}

/** The newest conversation at the site: scenes are played one after the other. */
export async function talkOf({ site }: Scene): Promise<string> {
  const { id } = await admin
    .selectFrom('conversations')
    .select('id')
    .where('tenantId', '=', site.tenant.tenantId)
    .orderBy('createdAt', 'desc')
    .executeTakeFirstOrThrow();
  return id;
}
/** Nothing moves any more: what ends by itself has ended, and what does not is stopped at its beginning. */
export const stopMotion = (scene: Scene) =>
  ofChat(
    scene,
    `root.getAnimations().forEach((one) => (one.effect.getComputedTiming().endTime === Infinity ? one.cancel() : one.finish()))`,
  );

/** Into the log, as the service would. */
export async function write(scene: Scene, ...entries: Entry[]): Promise<void> {
  const id = await talkOf(scene);
  const { tenant } = scene.site;
  for (const { type, payload } of entries)
    if (type === 'confirmation.required')
      await plantRun(tenant, {
        ...(payload as { runId: Id<'actionRun'> }),
        state: 'awaiting_confirmation',
        conversationId: id,
      });
  await inside(tenant.tenantId, (ctx) => append(ctx, id, entries));
}
export const asked = (text: string, turnId?: string): Entry => ({
  type: 'message.created',
  messageId: newId('message'),
  payload: { role: 'visitor', text },
  ...(turnId && { turnId }),
});
export const replied = (text: string, more: object = {}): Entry => ({
  type: 'reply.completed',
  messageId: newId('message'),
  payload: { role: 'bot', text, citations: [], isAnswer: true, finish: 'complete', ...more },
});
/** What they are asked, by a run of its own. */
export const confirmation = ({ card }: Said, inSeconds: number): Entry => ({
  type: 'confirmation.required',
  payload: {
    ...card,
    runId: newId('actionRun'),
    argsHash,
    expiresAt: new Date(Date.now() + inSeconds * 1_000).toISOString(),
  },
});
const documentId = newId('knowledgeDocument');
export const markdownReply = ({ markdown, sources }: Said) =>
  replied(markdown, { citations: sources.map((source) => ({ ...source, documentId })) });

export async function say({ field }: Scene, text: string) {
  await field.fill(text);
  await field.press('Enter');
}
/** The service, as far as the browser can tell, does this with what is sent to it. */
export const meet = (context: BrowserContext, handle: (route: Route) => unknown) => context.route('**/message', handle);
export const refused =
  (status: number, message: string, headers: Record<string, string> = {}) =>
  (route: Route) =>
    route.request().method() !== 'OPTIONS'
      ? route.fulfill({
          status,
          headers: { 'access-control-allow-origin': '*', 'access-control-expose-headers': '*', ...headers },
          json: { error: { reason: 'refused', message } },
        })
      : route.continue();
