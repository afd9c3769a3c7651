import { connect } from 'node:http2';
import { service, type Context } from '@restatedev/restate-sdk';
import { expect, test } from 'vitest';
import { createLog } from './telemetry.ts';
import { serveDurable } from './restate.ts';

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
