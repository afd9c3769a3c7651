import { createServer, type IncomingMessage } from 'node:http';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { freePort } from '../../../../tools/stack/index.ts';
import { aBot, aChatStack, aTenant, startWorkerInProcess } from '../chat/fixture.ts';
import { anIp } from '../chat/helpers.ts';
import { openApi } from '../harness.ts';
import { sharedChromium } from '../shared-chromium.ts';
import { builtWidget } from './built.ts';

export interface ServedPage {
  html: string;
  headers?: Record<string, string>;
}

/** A tenant's pages: each test sets its own at a path. */
export async function startPages() {
  const pages = new Map<string, ServedPage>();
  const port = await freePort();
  const server = createServer((request, response) => {
    const page = pages.get((request.url ?? '').split(/[?#]/)[0] ?? '');
    if (!page) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...page.headers }).end(page.html);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://localhost:${port}`,
    pages,
    stop: () => new Promise<void>((done) => (server.closeAllConnections(), server.close(() => done()))),
  };
}

/** The service with a bot, a tenant's pages that embed it, and a browser. */
export async function aWidgetSite(
  draft: { answers?: object; [field: string]: unknown } = {},
  more: Record<string, string> = {},
) {
  const stack = await aChatStack(more);
  const worker = await startWorkerInProcess(stack.chatSettings);
  const built = await builtWidget();
  const apiPort = await freePort();
  const apiUrl = `http://localhost:${apiPort}`;
  const apiSettings = {
    ...stack.chatSettings,
    PUBLIC_URL: apiUrl,
    WIDGET_DIR: built.dir,
    TRUSTED_PROXIES: '127.0.0.1',
  };
  const start = async () => {
    const opened = await openApi(apiSettings);
    // Like a reverse proxy: limits count per IP, and all test visitors share one.
    opened.app.server.prependListener('request', ({ headers }: IncomingMessage) => {
      const [, address] = / visitor\/([\d.]+)/.exec(headers['user-agent'] ?? '') ?? [];
      if (address !== undefined) headers['x-forwarded-for'] = address;
    });
    await opened.app.listen({ host: '127.0.0.1', port: apiPort });
    return opened;
  };
  let api = await start();
  const site = await startPages();
  const tenant = await aTenant();
  const bot = await aBot(tenant, { title: 'Northlight Help', greeting: 'Hello! Ask me anything.', ...draft });
  await tenant.patch(`/bots/${bot.botId}`, { allowedOrigins: [site.url] });
  const { browser, closePages } = await sharedChromium();
  const cdnUrl = `${apiUrl}/cdn`;

  const embed = (attributes = '') =>
    `<script src="${cdnUrl}/chatbot-widget.js" data-public-key="${bot.publicKey}" data-bot-id="${bot.botId}" ${attributes} async></script>`;
  const html = (inside = '', head = '') =>
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Shop</title><link rel="icon" href="data:,">${head}</head><body><h1>Shop</h1><p>A page of a shop.</p>${inside}</body></html>`;
  site.pages.set('/', { html: html(embed()) });

  return {
    ...stack,
    worker,
    built,
    widgetDir: built.dir,
    site,
    apiUrl,
    cdnUrl,
    tenant,
    bot,
    browser,
    embed,
    html,
    api: () => api,
    /** Like a deploy: closes every connection and starts another API. */
    restartApi: async () => {
      api.app.server.closeAllConnections();
      await api.close();
      api = await start();
    },
    stopApi: async () => {
      api.app.server.closeAllConnections();
      await api.close();
    },
    startApi: async () => void (api = await start()),
    newContext: (options: BrowserContextOptions = {}) =>
      browser.newContext({
        locale: 'en-GB',
        viewport: { width: 1280, height: 800 },
        userAgent: `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36 visitor/${anIp()}`,
        ...options,
      }),
    close: async () => {
      await closePages();
      await site.stop();
      await api.close();
      await worker.stop();
      built.remove();
    },
  };
}
export type WidgetSite = Awaited<ReturnType<typeof aWidgetSite>>;

/** Locators for the widget on a page. */
export function onPage(page: Page) {
  const launcher = page.locator('parley-chat button[part=launcher]');
  const panel = page.locator('parley-chat dialog.panel');
  const field = panel.locator('.talk textarea');
  return {
    launcher,
    panel,
    field,
    log: panel.locator('.log'),
    replies: panel.locator('.row.bot:not(.typing)[data-id^=msg_]'),
    own: panel.locator('.row.visitor'),
    open: async () => {
      await launcher.click();
      await field.waitFor();
    },
    say: async (text: string) => {
      await field.fill(text);
      await field.press('Enter');
    },
  };
}

export async function openPage(context: BrowserContext, url: string) {
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  await page.goto(url);
  return page;
}
