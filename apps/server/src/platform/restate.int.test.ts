import { rmSync } from 'node:fs';
import { createServer, request as callHttp } from 'node:http';
import { connect } from 'node:http2';
import { connect as dial, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startRestate } from '../../../../tools/stack/index.ts';
import { iface, implement } from '@restatedev/restate-sdk';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createLog } from './telemetry.ts';
import { productVersion } from './product-version.ts';
import { openRestateAdmin } from './restate-admin.ts';
import { warnIfRestateIsOpen } from './restate-exposure.ts';
import { purgeInvocations } from './restate-purge.ts';
import { checkRestate, connectRestate } from './restate-client.ts';
import { openDeployments } from './deployments.ts';
import { keepRegistered } from './registration.ts';
import { serveDurable } from './restate.ts';

const quietService = iface.service('Quiet', { rest: iface.json() });
const services = [implement(quietService, { handlers: { rest: async () => {} } })];
const options = { services, log: createLog('test', 'silent'), host: '127.0.0.1', port: 0 };

/** The status of an unsigned request to the worker's port. */
async function hello(identityKeys: string[]): Promise<number> {
  const server = await serveDurable({ ...options, identityKeys });
  const session = connect(`http://127.0.0.1:${server.port}`);
  const status = await new Promise<number>((resolve, reject) => {
    const accept = 'application/vnd.restate.endpointmanifest.v3+json';
    const stream = session.request({ ':path': `/v${productVersion}/discover`, accept });
    stream.once('response', (headers) => resolve(Number(headers[':status'])));
    stream.once('error', reject);
    stream.resume();
    stream.end();
  });
  session.destroy();
  await server.stop(1);
  return status;
}

test('returns 401 to calls that are not signed by the configured Restate key', async () => {
  expect(await hello(['publickeyv1_HENK9zo2DDaytGc4fXNCz6tYGcYamFCBnvBHAFzVMBVS'])).toBe(401);
  expect(await hello([])).toBe(200); // control: without keys every caller is accepted, which production refuses at startup
});

test('registers a worker that started while Restate was down as soon as Restate is back', async () => {
  const dir = join(inject('runDir'), 'registered');
  const restate = await startRestate(dir, { partitions: 4 });
  await restate.kill();
  const server = await serveDurable({ ...options, identityKeys: [restate.identityKey] });
  const workerUrl = `http://127.0.0.1:${server.port}`;
  const registered = keepRegistered({
    deployments: openDeployments(restate.adminUrl),
    workerUrl,
    services,
    force: false,
    log: options.log,
  });
  await restate.start();
  const known = async () => (await (await fetch(`${restate.adminUrl}/services`)).text()).includes('"Quiet"');
  await expect.poll(known, { timeout: 10_000 }).toBe(true);
  await registered.stop();
  await server.stop(1);
  await restate.stop();
  rmSync(dir, { recursive: true, force: true });
}, 30_000);

/** A proxy in front of Restate, as in a deployment: it forwards only requests with the token. */
async function aProxy(target: string, token: string): Promise<string> {
  const proxy = createServer((request, response) => {
    if (request.headers.authorization !== `Bearer ${token}`) return void response.writeHead(401).end();
    const { method = 'GET', headers, url } = request;
    const { host: _host, ...sent } = headers;
    const onward = callHttp(target + url, { method, headers: sent }, (received) => {
      response.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

/** Another IP address of this machine: a server that listens on 127.0.0.1 only cannot be reached at it. */
const canDial = (url: string) =>
  new Promise<boolean>((resolve) => {
    const socket = dial({ host: '127.0.0.2', port: Number(new URL(url).port) });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

test('sends the token with every call to Restate, gets 401 without it, and binds the ports of the local stack to loopback', async () => {
  const dir = join(inject('runDir'), 'with-token');
  const restate = await startRestate(dir, { partitions: 4 });
  expect([await canDial(restate.ingressUrl), await canDial(restate.adminUrl)]).toEqual([false, false]);
  const ingress = await aProxy(restate.ingressUrl, 'token of the ingress');
  const admin = await aProxy(restate.adminUrl, 'token of the admin API');
  const server = await serveDurable({ ...options, identityKeys: [restate.identityKey] });
  const workerUrl = `http://127.0.0.1:${server.port}`;
  const adminToken = 'token of the admin API';
  const registered = keepRegistered({
    deployments: openDeployments(admin, adminToken),
    workerUrl,
    services,
    force: false,
    log: options.log,
    everyMs: 50,
  });
  const known = openRestateAdmin(admin, adminToken, 10_000);
  await expect.poll(() => known.deployments(), { timeout: 10_000 }).toBe(1);
  const quiet = (token?: string) => connectRestate(ingress, token).client(quietService).rest();
  await quiet('token of the ingress');
  await checkRestate(ingress, 'token of the ingress');
  expect(await purgeInvocations({ url: admin, token: adminToken }, 'ten_0/')).toMatchObject({ isDone: true });
  await expect(quiet()).rejects.toThrow('401');
  await expect(checkRestate(ingress)).rejects.toThrow('401');
  await expect(openRestateAdmin(admin).deployments()).rejects.toThrow('401');
  await expect(purgeInvocations({ url: admin }, 'ten_0/')).rejects.toThrow('401');

  const warnings = async (settings: { RESTATE_INGRESS_URL: string; RESTATE_ADMIN_URL?: string }, address: string) => {
    const warnings: unknown[] = [];
    const warn = (fields: { setting: string; network: string }) => warnings.push([fields.setting, fields.network]);
    await warnIfRestateIsOpen({ RESTATE_ADMIN_URL: undefined, ...settings }, { warn } as never, async () => [
      { address },
    ]);
    return warnings.map(String).toSorted((a, b) => a.localeCompare(b));
  };
  const open = { RESTATE_INGRESS_URL: restate.ingressUrl, RESTATE_ADMIN_URL: restate.adminUrl };
  const guarded = { RESTATE_INGRESS_URL: ingress, RESTATE_ADMIN_URL: admin };
  const both = (network: string) => ['RESTATE_ADMIN_URL', 'RESTATE_INGRESS_URL'].map((name) => `${name},${network}`);
  expect(await warnings(open, '1.1.1.1')).toEqual(both('public'));
  expect(await warnings(open, '10.0.0.7')).toEqual(both('private'));
  expect(await warnings(open, '127.0.0.1')).toEqual([]);
  expect(await warnings(guarded, '1.1.1.1')).toEqual([]);

  await registered.stop();
  await server.stop(1);
  await restate.stop();
  rmSync(dir, { recursive: true, force: true });
}, 60_000);
