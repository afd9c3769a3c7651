import type { IncomingMessage, ServerResponse } from 'node:http';
import { sql } from 'kysely';
import type { BrowserContext, Frame, Page } from 'playwright-core';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isFull } from '../../../../tools/testing/size.ts';
import { allTables, until } from '../chat/helpers.ts';
import { admin, aSessionKey } from '../harness.ts';
import { onPage, openPage, type WidgetSite } from './fixture.ts';

// Pages are slow when many run in parallel.
vi.setConfig({ testTimeout: 60_000 });

/** In full runs only: another test covers it per commit. */
export const testInFull = (title: string, work: () => Promise<void>, timeout?: number) => {
  if (isFull) test(title, work, timeout);
};

/** Polls, with a timeout for a busy machine. */
export const eventually = <T>(read: () => T | Promise<T>, timeout = 20_000) => expect.poll(read, { timeout });

/** A separate browser context, until the test is over. */
export async function aContext(site: WidgetSite): Promise<BrowserContext> {
  const context = await site.newContext();
  onTestFinished(() => context.close());
  return context;
}

/** Complete replies: a streaming one has no feedback buttons yet. */
export const answers = (page: Page) => page.locator('parley-chat .row.bot[data-id^=msg_]:has(.thumb)');

/** A new visitor on a page of the tenant. */
export async function aPage(site: WidgetSite, html = site.html(site.embed()), path = '/') {
  site.site.pages.set(path, { html });
  const context = await aContext(site);
  const page = await openPage(context, `${site.site.url}${path}`);
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  const widget = onPage(page);
  const ask = async (question: string) => {
    const before = await answers(page).count();
    await widget.say(question);
    await eventually(() => answers(page).count()).toBe(before + 1);
  };
  return { context, page, errors, host: page.locator('parley-chat'), ask, ...widget };
}

/** Calls the widget's API like a page. The result is discarded, since it cannot be serialized. */
export const chatbot = (page: Page, command: string, ...args: unknown[]) =>
  page.evaluate(`void Chatbot(${[command, ...args].map((value) => JSON.stringify(value) ?? 'undefined').join(', ')})`);

/** Records emitted events in `window.heard`. */
export const listenTo = (page: Page, ...events: string[]) =>
  page.evaluate(`(() => {
    window.heard ??= [];
    for (const event of ${JSON.stringify(events)}) Chatbot.on(event, (detail) => heard.push([event, detail]));
  })()`);
export const emittedEvents = (page: Page) => page.evaluate<[event: string, detail: unknown][]>('heard');

interface Stored {
  local: Record<string, string>;
  session: Record<string, string>;
  cookies: string;
  databases: number;
  caches: number;
}
/** Everything stored by the page in the browser. */
export const storedIn = (page: Page) =>
  page.evaluate<Stored>(`(async () => ({
    local: { ...localStorage },
    session: { ...sessionStorage },
    cookies: document.cookie,
    databases: (await indexedDB.databases()).length,
    caches: (await caches.keys()).length,
  }))()`);
export const nothingStored: Stored = { local: {}, session: {}, cookies: '', databases: 0, caches: 0 };

/** Records every request of a page by method and path. */
export function requestsOf(page: Page) {
  const all: string[] = [];
  page.on('request', (request) => {
    const { pathname, protocol } = new URL(request.url());
    if (protocol !== 'data:') all.push(`${request.method()} ${pathname}`);
  });
  return all;
}
const marker = 'GET /marker';
/** Requests sent so far: waits for a marker request, which is listed after all earlier ones. */
export async function sentSoFar(page: Page, requests: string[]) {
  await nextFrame(page);
  await page.evaluate(`void fetch('/marker').catch(() => {})`);
  await until(() => requests.includes(marker), 20_000);
  requests.splice(requests.indexOf(marker), 1);
  return requests;
}
/** Waits two frames, so that queued events are handled and rendered. Hidden pages have no frames. */
export const nextFrame = (page: Page | Frame) =>
  page.evaluate(`new Promise((done) => {
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));
    if (!document.documentElement.checkVisibility() || innerHeight === 0) setTimeout(done);
  })`);
/** Runs an hour of the page's timers. Its clock must be installed: `page.clock.install()`. */
export const anHourLater = async (page: Page) => {
  await page.clock.fastForward(3_600_000);
  await nextFrame(page);
};

/** Visitor messages in the log, oldest first, with their owner. */
export const messagesOf = async ({ tenant }: WidgetSite) => {
  const rows = await admin
    .selectFrom('conversationEvents as entry')
    .innerJoin('conversations as conversation', 'conversation.id', 'entry.conversationId')
    .select([
      'entry.payload',
      'entry.turnId',
      'conversation.id',
      'conversation.visitorId',
      'conversation.contactId',
      'conversation.pageUrl',
    ])
    .where('entry.type', '=', 'message.created')
    .where('conversation.tenantId', '=', tenant.tenantId)
    .orderBy('entry.createdAt')
    .orderBy('entry.seq')
    .execute();
  return rows
    .map(({ payload, ...row }) => ({ ...row, ...(payload as { text: string; role: string }) }))
    .filter(({ role }) => role === 'visitor');
};

/** Open streams of the API, and the total number so far. */
export function watchStreams(site: WidgetSite) {
  const open = new Set<ServerResponse>();
  const streams = { open, total: 0 };
  site.api().app.server.on('request', ({ headers, method }: IncomingMessage, response: ServerResponse) => {
    if (method === 'OPTIONS' || !headers.accept?.includes('event-stream')) return;
    open.add(response);
    streams.total++;
    response.on('close', () => open.delete(response));
  });
  return streams;
}

/** The tenant's backend, which opens sessions for signed-in users. */
export async function aBackend({ tenant, bot }: WidgetSite) {
  const key = await aSessionKey(tenant);
  const { tenantId, workspaceId, environmentId } = tenant;
  return {
    key,
    sessionFor: async (user: string) => {
      const response = await key.post('/widget/sessions/authenticated', {
        tenantId,
        workspaceId,
        environmentId,
        botId: bot.botId,
        externalUserId: user,
        email: `${user}@customer.example`,
      });
      if (response.statusCode !== 200) throw new Error(response.body);
      return response.json<{ sessionToken: string; contactId: string }>();
    },
  };
}

/** All HTML of the widget, including hidden elements and attributes. */
export const textIn = (page: Page) =>
  page.evaluate<string>(
    `[...document.querySelectorAll('parley-chat')].map(({ shadowRoot }) => shadowRoot.innerHTML).join()`,
  );

/** All tables except those that are written in the background: signing keys, installs and request errors. */
const visitorTables = async () =>
  (await allTables()).filter((name) => !/\.(signing_keys|widget_installs|request_errors)$/.test(name));

/** Rows per table, once no workflow is running and two counts agree. */
export async function rowsEverywhere({ restate }: WidgetSite): Promise<Record<string, number>> {
  const count = async () => {
    const counts = await Promise.all(
      (await visitorTables()).map(async (name) => {
        const { rows: found } = await sql<{ n: string }>`select count(*) as n from ${sql.raw(name)}`.execute(admin);
        return [name, Number(found[0]?.n)];
      }),
    );
    return Object.fromEntries(counts) as Record<string, number>;
  };
  const running = async () => {
    const response = await fetch(`${restate.adminUrl}/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query: "select id from sys_invocation where status in ('pending', 'ready', 'running')" }),
    });
    return ((await response.json()) as { rows: unknown[] }).rows.length;
  };
  let before: Record<string, number> = {};
  await until(async () => {
    if ((await running()) > 0) return false;
    const now = await count();
    const isSame = JSON.stringify(now) === JSON.stringify(before);
    before = now;
    return isSame;
  }, 20_000);
  return before;
}
