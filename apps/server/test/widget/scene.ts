import type { BrowserContext, BrowserContextOptions, Locator, Page, Route } from 'playwright-core';
import { onTestFinished } from 'vitest';
import type { Reply } from '../../../../tools/model/index.ts';
import { append, type Entry } from '../../src/features/conversations/log/log.store.ts';
import { argsHash, plantRun } from '../rules/actions.ts';
import type { Id } from '../../src/platform/ids.contract.ts';
import { newId } from '../../src/platform/ids.ts';
import { textOf } from '../chat/helpers.ts';
import { admin, inside } from '../harness.ts';
import { aWidgetSite, openPage, type WidgetSite } from './fixture.ts';
import { sceneTexts, type SceneTexts } from './scene-texts.ts';

// A chat on a page, and what can happen in it.

/** The service with everything that visitors can see: a team that is away, and a message next to the button at `#tip`. */
export async function aSceneSite(): Promise<WidgetSite> {
  const proactive = [{ id: 'tip', message: sceneTexts.en.tip, when: { urlContains: '#tip' } }];
  const site = await aWidgetSite({ answers: { mode: 'model' }, languages: ['en', 'ar'], proactive });
  const { tenant } = site;
  const day = new Date(Date.now() + 2 * 86_400_000).toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' });
  const saved = await tenant.put(`/workspaces/${tenant.workspaceId}/business-hours`, {
    timeZone: 'UTC',
    weekly: [{ day: day.toLowerCase(), opens: '09:00', closes: '17:00' }],
    holidays: [],
    awayMessage: sceneTexts.en.away,
    replyMinutes: 30,
  });
  if (saved.statusCode !== 200) throw new Error(saved.body);
  return site;
}

export interface Scene {
  site: WidgetSite;
  context: BrowserContext;
  page: Page;
  launcher: Locator;
  panel: Locator;
  field: Locator;
  isFramed: boolean;
  /** Its content, in its language. */
  texts: SceneTexts;
}

export const sizes = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true },
} satisfies Record<string, BrowserContextOptions>;

interface SceneOptions extends BrowserContextOptions {
  speaks?: 'en' | 'ar';
  isFramed?: boolean;
  /** One of the tenant's pages; by default a plain accessible one. */
  path?: string;
}

/** A new visitor on a page with a chat, until the test is over. */
export async function aScene(
  site: WidgetSite,
  { speaks = 'en', isFramed = false, path, ...options }: SceneOptions = {},
): Promise<Scene> {
  const texts = sceneTexts[speaks];
  const attributes = `data-locale="${speaks}" ${isFramed ? 'data-isolation="iframe"' : ''}`;
  const own = `/${speaks}${isFramed ? '-framed' : ''}`;
  site.site.pages.set(own, { html: aPage(speaks, texts, site.embed(attributes)) });
  site.model.script = ({ messages }) => modelReply(textOf(messages.findLast(({ role }) => role === 'user')), texts);
  const context = await site.newContext(options);
  onTestFinished(() => context.close());
  const page = await openPage(context, `${site.site.url}${path ?? own}`);
  page.setDefaultTimeout(30_000); // generous, for a busy machine
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
    texts,
  };
}

/** Evaluates an expression in the page, where `root` is the widget's shadow root and `panel` the chat or another part. */
export function ofChat<T>({ page, isFramed }: Scene, expression: string, part = 'dialog.panel'): Promise<T> {
  const frame = (isFramed && page.frames()[1]) || page.mainFrame();
  const host = isFramed ? 'body > div' : 'parley-chat';
  return frame.evaluate<T>(`(() => {
    const root = document.querySelector('${host}').shadowRoot;
    const panel = root.querySelector('${part}');
    return (${expression});
  })()`);
}

/** Accessible without the chat, so that any violation is caused by the chat. */
const aPage = (locale: string, { shop, greeting, quickReplies, disclosure, title }: SceneTexts, embed: string) =>
  `<!doctype html><html lang="${locale}" dir="${locale === 'ar' ? 'rtl' : 'ltr'}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Shop</title><link rel="icon" href="data:,">
<style>body{margin:0;background:#fff;color:#111;font:16px/1.5 sans-serif}main{padding:16px;max-width:720px}</style></head>
<body><main><h1>${shop}</h1><p>${disclosure}</p><p><a href="#a">${quickReplies[0] ?? ''}</a></p></main>${embed}
<script>(window.Chatbot ??= Object.assign((...call) => window.Chatbot.q.push(call), { q: [] }))('set', ${JSON.stringify(
    { greeting, quickReplies, disclosure, title },
  )})</script></body></html>`;

/** The question selects the model's behaviour. */
function modelReply(question: string, { replyTokens, cutQuestion, streamQuestion }: SceneTexts): Reply {
  if (question.includes(cutQuestion)) return { tokens: replyTokens, everyMs: 10, resetAfter: 9 };
  // Streams until it is stopped.
  if (question.includes(streamQuestion))
    return { tokens: Array(20).fill(replyTokens).flat() as string[], everyMs: 600 };
  return { tokens: replyTokens, everyMs: 5 };
}

/** The newest conversation of the site: scenes run one after the other. */
export async function conversationOf({ site }: Scene): Promise<string> {
  const { id } = await admin
    .selectFrom('conversations')
    .select('id')
    .where('tenantId', '=', site.tenant.tenantId)
    .orderBy('createdAt', 'desc')
    .executeTakeFirstOrThrow();
  return id;
}
/** Finishes all animations, and cancels endless ones. */
export const stopMotion = (scene: Scene) =>
  ofChat(
    scene,
    `root.getAnimations().forEach((one) => (one.effect.getComputedTiming().endTime === Infinity ? one.cancel() : one.finish()))`,
  );

/** Appends to the log like the service. */
export async function appendEntries(scene: Scene, ...entries: Entry[]): Promise<void> {
  const id = await conversationOf(scene);
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
export const visitorEntry = (text: string, turnId?: string): Entry => ({
  type: 'message.created',
  messageId: newId('message'),
  payload: { role: 'visitor', text },
  ...(turnId && { turnId }),
});
export const replyEntry = (text: string, more: object = {}): Entry => ({
  type: 'reply.completed',
  messageId: newId('message'),
  payload: { role: 'bot', text, citations: [], isAnswer: true, finish: 'complete', ...more },
});
/** A confirmation request with its own run. */
export const confirmation = ({ card }: SceneTexts, inSeconds: number): Entry => ({
  type: 'confirmation.required',
  payload: {
    ...card,
    runId: newId('actionRun'),
    argsHash,
    expiresAt: new Date(Date.now() + inSeconds * 1_000).toISOString(),
  },
});
const documentId = newId('knowledgeDocument');
export const markdownReply = ({ markdown, sources }: SceneTexts) =>
  replyEntry(markdown, { citations: sources.map((source) => ({ ...source, documentId })) });

export async function sendMessage({ field }: Scene, text: string) {
  await field.fill(text);
  await field.press('Enter');
}
/** Intercepts message requests in the browser. */
export const interceptMessages = (context: BrowserContext, handle: (route: Route) => unknown) =>
  context.route('**/message', handle);
export const errorResponse =
  (status: number, message: string, headers: Record<string, string> = {}) =>
  (route: Route) =>
    route.request().method() !== 'OPTIONS'
      ? route.fulfill({
          status,
          headers: { 'access-control-allow-origin': '*', 'access-control-expose-headers': '*', ...headers },
          json: { error: { reason: 'refused', message } },
        })
      : route.continue();
