import { rmSync } from 'node:fs';
import { connect } from 'node:http2';
import { join } from 'node:path';
import { startRestate } from '../../../../tools/stack/index.ts';
import { service, type Context } from '@restatedev/restate-sdk';
import { expect, inject, test } from 'vitest';
import { createLog } from './telemetry.ts';
import { keepRegistered, serveDurable } from './restate.ts';

const services = [service({ name: 'Quiet', handlers: { rest: async (_ctx: Context) => {} } })];
const parts = { services, log: createLog('test', 'silent'), host: '127.0.0.1', port: 0 };

/** What somebody gets who found the worker's port and says hello. */
async function hello(identityKeys: string[]): Promise<number> {
  const server = await serveDurable({ ...parts, identityKeys });
  const session = connect(`http://127.0.0.1:${server.port}`);
  const status = await new Promise<number>((resolve, reject) => {
    const accept = 'application/vnd.restate.endpointmanifest.v3+json';
    const stream = session.request({ ':path': '/discover', accept });
    stream.once('response', (headers) => resolve(Number(headers[':status'])));
    stream.once('error', reject);
    stream.resume();
    stream.end();
  });
  session.destroy();
  await server.stop(1);
  return status;
}

test('401: the worker answers nobody but the Restate whose key it knows', async () => {
  expect(await hello(['publickeyv1_HENK9zo2DDaytGc4fXNCz6tYGcYamFCBnvBHAFzVMBVS'])).toBe(401);
  expect(await hello([])).toBe(200); // the control: without keys anybody is answered, which production refuses at start
});

test('a worker that starts while Restate is away is registered when Restate is back, and nobody had to wait', async () => {
  const dir = join(inject('runDir'), 'registered');
  const restate = await startRestate(dir, { partitions: 4 });
  await restate.kill();
  const server = await serveDurable({ ...parts, identityKeys: [restate.identityKey] });
  const workerUrl = `http://127.0.0.1:${server.port}`;
  const registered = keepRegistered({ adminUrl: restate.adminUrl, workerUrl, force: false, log: parts.log });
  await restate.start();
  const known = async () => (await (await fetch(`${restate.adminUrl}/services`)).text()).includes('"Quiet"');
  await expect.poll(known, { timeout: 10_000 }).toBe(true);
  await registered.stop();
  await server.stop(1);
  await restate.stop();
  rmSync(dir, { recursive: true, force: true });
}, 30_000);
