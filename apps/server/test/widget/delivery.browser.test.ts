import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, request as askApi } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isFull } from '../../../../tools/testing/size.ts';
import { freePort } from '../../../../tools/stack/index.ts';
import { aUser } from '../harness.ts';
import { aWidgetSite, onPage } from './fixture.ts';
import { aContext, aPage, eventually, requestsOf, messagesOf } from './helpers.ts';

// The built widget as served: files, versions and integrity.

const site = await aWidgetSite();
afterAll(site.close);
const { version } = site.built;
const question = 'How long does delivery take?';

interface Manifest {
  current: string;
  versions: Record<string, { frame: string; files: Record<string, string> }>;
}
const manifestIn = (dir: string) => JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8')) as Manifest;
const get = (name: string, encoding = 'identity') =>
  new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>((done, fail) => {
    // Not with fetch, which decompresses.
    askApi(`${site.cdnUrl}/${name}`, { headers: { 'accept-encoding': encoding } }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () =>
        done({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) }),
      );
    })
      .on('error', fail)
      .end();
  });

describe('files', () => {
  test('match the manifest’s hashes in every encoding', async () => {
    const { current, versions } = manifestIn(site.widgetDir);
    expect(current).toBe(version);
    const { files, frame } = versions[current] ?? { files: {}, frame: '' };
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining(['chatbot-widget.js', `chatbot-widget.${version}.js`, frame]),
    );
    expect(Object.keys(files).toSorted()).toEqual(
      [...site.built.files.keys()].filter((name) => name !== 'manifest.json').toSorted(),
    );
    for (const [name, integrity] of Object.entries(files)) {
      const [plain, brotli, gzip] = [await get(name), await get(name, 'br'), await get(name, 'gzip')];
      expect([plain.status, brotli.status, gzip.status]).toEqual([200, 200, 200]);
      expect(`sha384-${createHash('sha384').update(plain.body).digest('base64')}`, name).toBe(integrity);
      expect([brotli.headers['content-encoding'], gzip.headers['content-encoding']]).toEqual(['br', 'gzip']);
      expect(brotliDecompressSync(brotli.body).equals(plain.body)).toBe(true);
      expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
      expect(plain.headers).toMatchObject({
        'access-control-allow-origin': '*',
        vary: expect.stringMatching(/accept-encoding/i),
      });
      const isStable = name === 'chatbot-widget.js';
      expect(plain.headers['cache-control'], name).toBe(
        isStable ? 'public, max-age=300, stale-while-revalidate=86400' : 'public, max-age=31536000, immutable',
      );
    }
    expect((await get('manifest.json')).headers['cache-control']).toContain('max-age=300');
  });

  test('have no source maps and no references to them', async () => {
    const maps = readdirSync(site.widgetDir.replace(/dist$/, 'maps'));
    expect(maps.length).toBeGreaterThan(3);
    for (const map of maps) expect((await get(map)).status, map).toBe(404);
    for (const [name, bytes] of site.built.files) {
      expect(bytes.toString(), name).not.toMatch(/sourceMappingURL|sourceURL|\/\/# |packages\/widget|\.ts\b/);
      expect((await get(`${name}.map`)).status).toBe(404);
    }
  });
});

describe('data-version', () => {
  const older = '0.9.9-old';
  const dir = mkdtempSync(join(tmpdir(), 'widget-old-'));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  /** Built from sources with another version and text. */
  function buildOlder() {
    const root = join(import.meta.dirname, '../../../..');
    cpSync(join(root, 'packages/widget'), join(dir, 'packages/widget'), {
      recursive: true,
      filter: (path) => !/[/\\](dist|maps|node_modules)$/.test(path),
    });
    symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
    const about = join(dir, 'packages/widget/package.json');
    writeFileSync(about, readFileSync(about, 'utf8').replace(/"version": "[^"]+"/, `"version": "${older}"`));
    const english = join(dir, 'packages/widget/src/chat/english.ts');
    writeFileSync(english, readFileSync(english, 'utf8').replace("'Write a message…'", "'As it was'"));
    cpSync(join(root, 'tsconfig.base.json'), join(dir, 'tsconfig.base.json'));
    execFileSync(process.execPath, ['packages/widget/build.ts'], { cwd: dir });
    return join(dir, 'packages/widget/dist');
  }

  /** The same made of the current build, which takes no seconds: a chat with another text, and a script that loads it. */
  function deriveOlder() {
    const { frame } = manifestIn(site.widgetDir).versions[version] ?? expect.fail('the current version is not listed');
    const read = (name: string) => readFileSync(join(site.widgetDir, name), 'utf8');
    const hashOf = (text: string, algorithm: string, encoding: 'hex' | 'base64') =>
      createHash(algorithm).update(text).digest(encoding);
    const chatName = readdirSync(site.widgetDir).find((name) => /^chat\.\w+\.js$/.test(name)) ?? expect.fail('no chat');
    const chat = read(chatName);
    const olderChat = chat.replace('Write a message…', 'As it was');
    const script = read(`chatbot-widget.${version}.js`)
      .replace(hashOf(chat, 'sha256', 'base64'), hashOf(olderChat, 'sha256', 'base64'))
      .replace(hashOf(chat, 'sha256', 'hex').slice(0, 8), hashOf(olderChat, 'sha256', 'hex').slice(0, 8))
      .replace(`"${version}"`, `"${older}"`);
    const files = {
      [`chat.${hashOf(olderChat, 'sha256', 'hex').slice(0, 8)}.js`]: olderChat,
      [`chatbot-widget.${older}.js`]: script,
    };
    const hashes = Object.entries(files).map(([name, text]) => [name, `sha384-${hashOf(text, 'sha384', 'base64')}`]);
    const versions = { [older]: { frame, files: Object.fromEntries(hashes) as Record<string, string> } };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
    writeFileSync(join(dir, 'manifest.json'), JSON.stringify({ current: older, versions }));
    return dir;
  }

  /** Like after a deploy: the files of both versions, and a manifest with both. */
  beforeAll(async () => {
    const built = isFull ? buildOlder() : deriveOlder();
    const [now, then] = [manifestIn(site.widgetDir), manifestIn(built)];
    for (const name of readdirSync(built))
      if (!/^(chatbot-widget\.js|manifest\.json)/.test(name)) cpSync(join(built, name), join(site.widgetDir, name));
    const both = JSON.stringify({ current: now.current, versions: { ...then.versions, ...now.versions } });
    writeFileSync(join(site.widgetDir, 'manifest.json'), both);
    for (const ending of ['.br', '.gz']) rmSync(join(site.widgetDir, `manifest.json${ending}`));
    await site.restartApi();
  }, 60_000);

  const visiting = async (attributes: string, script = site.embed(attributes)) => {
    site.site.pages.set('/version', { html: site.html(script) });
    const context = await aContext(site);
    const page = await context.newPage();
    const requests = requestsOf(page);
    const warnings: string[] = [];
    page.on('console', (line) => warnings.push(line.text()));
    await page.goto(`${site.site.url}/version`);
    const widget = onPage(page);
    await widget.open();
    await widget.say(question);
    await widget.replies.first().waitFor();
    return { page, requests, warnings, placeholder: await widget.field.getAttribute('placeholder') };
  };

  test('with the current version loads nothing more', async () => {
    const { requests, placeholder, warnings } = await visiting(`data-version="${version}"`);
    expect(placeholder).toBe('Write a message…');
    expect(requests.filter((request) => request.includes('chatbot-widget'))).toEqual(['GET /cdn/chatbot-widget.js']);
    expect(warnings).toEqual([]);
  });

  test('with an older version loads that one and its chat', async () => {
    const { page, requests, placeholder } = await visiting(`data-version="${older}"`);
    expect(placeholder).toBe('As it was');
    expect(requests).toContain(`GET /cdn/chatbot-widget.${older}.js`);
    expect(requests.filter((request) => /\/chat\.\w+\.js/.test(request))).toHaveLength(1);
    expect(await page.locator('parley-chat').count()).toBe(1);
  });

  test('with an unknown version loads the current one and logs a warning', async () => {
    const { placeholder, warnings, page } = await visiting('data-version="7.7.7"');
    expect(placeholder).toBe('Write a message…');
    expect(warnings.join('\n')).toContain('Chatbot: no version 7.7.7');
    expect(await page.locator('parley-chat').count()).toBe(1);
  });

  test('pinned by an integrity hash runs only if it matches', async () => {
    const integrity = manifestIn(site.widgetDir).versions[version]?.files[`chatbot-widget.${version}.js`] ?? '';
    const pinned = (hash: string) =>
      site
        .embed(`integrity="${hash}" crossorigin="anonymous"`)
        .replace('chatbot-widget.js', `chatbot-widget.${version}.js`);
    const { placeholder } = await visiting('', pinned(integrity));
    expect(placeholder).toBe('Write a message…');
    const changed = pinned(integrity.replace(/-./, '-A')).replace('<script', '<script onerror="isRefused = true"');
    const { page } = await aPage(site, site.html(changed), '/changed');
    await eventually(() => page.evaluate('window.isRefused')).toBe(true);
    expect(await page.evaluate('typeof Chatbot')).toBe('undefined');
  });
});

describe('when streams are blocked', () => {
  test('replies and agent messages still arrive', async () => {
    // Like a buffering proxy: the stream is passed on when it has ended.
    const port = await freePort();
    const held = { streams: 0, polls: 0 };
    const proxy = createServer((request, response) => {
      const { method, headers, url = '' } = request;
      if (url.includes('wait=')) held.polls++;
      const onwards = askApi(`${site.apiUrl}${url}`, { method, headers }, (answer) => {
        const isStream = String(answer.headers['content-type']).includes('event-stream');
        if (!isStream) return void answer.pipe(response.writeHead(answer.statusCode ?? 500, answer.headers));
        held.streams++;
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () => response.writeHead(answer.statusCode ?? 500, answer.headers).end(Buffer.concat(parts)));
        answer.on('error', () => response.destroy());
      });
      onwards.on('error', () => response.destroy());
      response.on('close', () => onwards.destroy());
      request.pipe(onwards);
    });
    await new Promise<void>((ready) => proxy.listen(port, '127.0.0.1', ready));
    const context = await aContext(site);
    try {
      await context.route('**/cdn/config/**', async (route) => {
        const response = await route.fetch();
        const setup = (await response.json()) as object;
        await route.fulfill({ response, json: { ...setup, apiUrl: `http://localhost:${port}` } });
      });
      site.site.pages.set('/', { html: site.html(site.embed()) });
      const page = await context.newPage();
      await page.clock.install();
      await page.goto(`${site.site.url}/`);
      const { open, say, replies, panel } = onPage(page);
      await open();
      await say(question);
      await eventually(() => replies.count()).toBe(1);
      // No bytes for some seconds: the stream counts as blocked.
      await eventually(async () => (await page.clock.fastForward(6_000), held.polls)).toBeGreaterThan(0);
      const [sent] = (await messagesOf(site)).toReversed();
      const agent = await aUser([{ tenantId: site.tenant.tenantId, roles: ['agent'] }]);
      await agent.post(`/conversations/${sent?.id}/claim`, {});
      await agent.post(`/conversations/${sent?.id}/replies`, { text: 'First words of a person.' });
      await eventually(() => panel.locator('.row.agent').count()).toBe(1);
      const sentAt = performance.now();
      await agent.post(`/conversations/${sent?.id}/replies`, { text: 'Second words.' });
      await eventually(() => panel.locator('.row.agent').count()).toBe(2);
      expect(performance.now() - sentAt, 'not at the end of the 20 s that a poll may last').toBeLessThan(10_000);
      expect(held.streams).toBeGreaterThan(0);
      expect(await panel.locator('.notice').innerText()).toBe('');
    } finally {
      proxy.closeAllConnections();
      proxy.close();
    }
  });
});
