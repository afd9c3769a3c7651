import { hash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { aBot } from '../../../test/chat/fixture.ts';
import { until } from '../../../test/chat/helpers.ts';
import { aTenant } from '../../../test/harness.ts';
import { openSite } from '../../../test/identity/browser.ts';
import { makeWidgetDir } from '../../../test/widget-files.ts';

// Browser tests of the frame: where it can be embedded, and what it may do.

const script = `
const { apiUrl, botId, title } = JSON.parse(document.getElementById('setup').textContent);
const key = new URL(location.href).searchParams.get('key');
const tell = (what) => parent.postMessage(what, '*');
const isRefused = (work) => { try { work(); return false; } catch { return true; } };
const body = JSON.stringify({ publicKey: key, botId, visitorId: 'x' });
const opened = await fetch(apiUrl + '/widget/sessions/anonymous', {
  method: 'POST', headers: { 'content-type': 'application/json' }, body,
});
tell({
  title,
  session: opened.status,
  isMarkupRefused: isRefused(() => { document.body.innerHTML = '<b>x</b>'; }),
  isElsewhereRefused: await fetch('https://evil.example/').then(() => false, () => true),
});
`;
const name = 'frame.ab12cd34.js';
const dir = makeWidgetDir();
const files = { [name]: `sha384-${hash('sha384', script, 'base64')}` };
const manifest = { current: '1.0.0', versions: { '1.0.0': { frame: name, files } } };
for (const [file, text] of [[name, script] as const, ['manifest.json', JSON.stringify(manifest)] as const]) {
  writeFileSync(join(dir, file), text);
  for (const ending of ['.br', '.gz']) rmSync(join(dir, `${file}${ending}`));
}

const site = await openSite({ WIDGET_DIR: dir });
const servers: ReturnType<typeof createServer>[] = [];
afterAll(async () => {
  await site.close();
  for (const server of servers) server.close();
  rmSync(dir, { recursive: true });
});

/** A customer's page with the frame; records the frame's messages. */
async function aPage(frameUrl: () => string): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(
      `<!doctype html><script>window.heard = []; onmessage = ({ data }) => heard.push(data);</script><iframe src="${frameUrl()}"></iframe>`,
    );
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

test('runs the frame and opens a session on an allowed page only, and blocks everything else', async () => {
  let frameUrl = '';
  const [allowed, other] = [await aPage(() => frameUrl), await aPage(() => frameUrl)];
  const tenant = await aTenant();
  const bot = await aBot(tenant, { title: 'Help' });
  await tenant.patch(`/bots/${bot.botId}`, { allowedOrigins: [allowed] });
  frameUrl = `${site.apiUrl}/cdn/frame/${bot.botId}?key=${bot.publicKey}`;
  await until(async () => (await fetch(frameUrl)).headers.get('content-security-policy')?.includes(allowed));

  const page = await site.newPage();
  const blocked: string[] = [];
  page.on('console', (line) => blocked.push(line.text()));
  await page.goto(allowed);
  const frameMessages = () => page.evaluate<object[]>('window.heard');
  await until(async () => (await frameMessages()).length > 0);
  expect(await frameMessages()).toEqual([
    { title: 'Help', session: 200, isMarkupRefused: true, isElsewhereRefused: true },
  ]);

  blocked.length = 0;
  await page.goto(other);
  await until(() => blocked.some((line) => line.includes('frame-ancestors')));
  expect(await frameMessages()).toEqual([]);
});
