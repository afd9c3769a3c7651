import { rmSync } from 'node:fs';
import { connect, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { text } from 'node:stream/consumers';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { join } from 'node:path';
import { isFull } from '../../../../tools/testing/size.ts';
import { hosts, programOf, proxies, startProxy } from './proxies.ts';
import { startUpstream } from './upstream.ts';

// The proxy samples, with the real programs. At full size all of them, which must be installed; otherwise the first that is.

const all = Object.entries(proxies).map(([name, proxy]) => ({ name, proxy }));
const installed = all.filter(({ proxy }) => programOf(proxy) !== undefined);
const chosen = isFull ? all : installed.slice(0, 1);

if (chosen.length === 0) test.skip('no proxy is installed here: apt-get install nginx-light', () => {});

async function started(name: string, proxy: (typeof proxies)['nginx']) {
  const [one, two] = [await startUpstream('one'), await startUpstream('two')];
  const dir = join(inject('runDir'), `proxy-${name}-${process.pid}`);
  const running = await startProxy(dir, proxy, [one.port, two.port]);
  const clients = new Map<string, ClientHttp2Session>();
  /** A request over HTTP/2 with a forged X-Forwarded-For. */
  const open = (host: string, path: string): ClientHttp2Stream => {
    const options = { ca: running.ca, servername: host };
    const client = clients.get(host) ?? connect(`https://127.0.0.1:${running.httpsPort}`, options);
    clients.set(host, client);
    return client.request({ ':path': path, ':authority': host, 'x-forwarded-for': '203.0.113.7' });
  };
  const get = async (host: string, path: string) => {
    const stream = open(host, path);
    const status = new Promise<number | undefined>((resolve, reject) => {
      stream.once('response', (headers) => resolve(headers[':status']));
      stream.once('error', reject);
    });
    const body = await text(stream);
    return { status: await status, body };
  };
  const stop = async () => {
    for (const client of clients.values()) client.destroy();
    await running.kill();
    await Promise.all([one.close(), two.close()]);
    rmSync(dir, { recursive: true, force: true });
  };
  onTestFinished(stop);
  return { one, two, running, clients, open, get };
}

describe.each(chosen)('$name', ({ name, proxy }) => {
  test('accepts the sample, serves HTTP/2, keeps the IP address, streams, and survives the loss of a process', async () => {
    const { one, two, running, clients, open, get } = await started(name, proxy);
    expect(running.checked, running.checked.output).toMatchObject({ status: 0 });
    const warnings = running.checked.output.split('\n').filter((line) => /\bwarn(ing)?\b/i.test(line));
    expect(warnings.filter((line) => !line.includes('OCSP'))).toEqual([]); // the certificate of this test has none

    await expect.poll(async () => (await get(hosts.api, '/tenant')).status).toBe(200); // after its first health check
    expect(clients.get(hosts.api)?.alpnProtocol).toBe('h2');
    const seen = { forwardedFor: '127.0.0.1', protocol: 'https', host: hosts.api, path: '/tenant' };
    expect(JSON.parse((await get(hosts.api, '/tenant')).body)).toMatchObject(seen);
    expect(JSON.parse((await get(hosts.cdn, '/chatbot-widget.js')).body).path).toBe('/cdn/chatbot-widget.js');

    // A proxy that buffers passes on what came with the headers, and the rest when the stream ends.
    const stream = open(hosts.api, '/events').setEncoding('utf8');
    let received = '';
    stream.on('data', (chunk: string) => (received += chunk));
    await expect.poll(() => received).toContain(':\n\n');
    for (const event of ['first', 'second']) {
      for (const upstream of [one, two]) upstream.sendEvent(event);
      await expect.poll(() => received, { timeout: 5_000 }).toContain(`event: ${event}`);
    }
    for (const upstream of [one, two]) upstream.endStream();
    await expect.poll(() => stream.closed).toBe(true);

    const redirect = await fetch(`http://127.0.0.1:${running.httpPort}/`, {
      redirect: 'manual',
      headers: { host: hosts.api },
    });
    expect(redirect.status).toBe(308);

    await one.close();
    const served = new Set<string>();
    for (let n = 0; n < 20; n++) {
      const { status, body } = await get(hosts.api, `/tenant?${n}`);
      expect(status, body).toBe(200);
      served.add(JSON.parse(body).name);
    }
    expect([...served]).toEqual(['two']);
  });
});
