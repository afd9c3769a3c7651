// The minimum for a turn on Restate: an object with as many journaled steps, which do nothing; and for a turn with an
// action: a step, a call to another object whose step makes the signed call, and a step.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as restate from '@restatedev/restate-sdk';
import { headersOf } from '../apps/server/src/features/webhooks/delivery/send.ts';
import { openDeployments } from '../apps/server/src/platform/deployments.ts';
import { keepRegistered } from '../apps/server/src/platform/registration.ts';
import { durableDefaults, serveDurable } from '../apps/server/src/platform/restate.ts';
import { createSafeFetch } from '../apps/server/src/platform/safe-fetch.ts';
import { createLog } from '../apps/server/src/platform/telemetry.ts';

const { RECEIVER = '', EGRESS_CA_FILE = '' } = process.env;
const log = createLog('bare', 'error');
const httpClient = createSafeFetch({
  ownHosts: [],
  openHosts: RECEIVER ? [RECEIVER] : [],
  ...(EGRESS_CA_FILE && { extraCa: readFileSync(EGRESS_CA_FILE, 'utf8') }),
});
const secrets = [`whsec_${Buffer.alloc(32, 7).toString('base64')}`];

async function callSystem(eventId: string) {
  const target = {
    url: `https://${RECEIVER}/actions`,
    headers: {},
    secrets,
    tenantId: 'ten_bench',
    environmentId: 'env_bench',
  };
  const text = JSON.stringify({ id: eventId, type: 'action.invoke', input: { orderId: 'A-1001' } });
  const payload = { eventId, eventType: 'action.invoke', environmentId: null, body: Buffer.from(text) };
  const headers = headersOf(target, payload, 1, Math.floor(Date.now() / 1_000));
  const { status, body } = await httpClient({ url: target.url, method: 'POST', headers, body: payload.body });
  if (status !== 200) throw new Error(`the receiver returned ${status}`);
  return JSON.parse(body.toString()) as object;
}

const bareRun = restate.object({
  name: 'BareRun',
  options: durableDefaults,
  handlers: {
    go: async (ctx: restate.ObjectContext) => {
      await ctx.run('advance', () => callSystem(ctx.key));
    },
  },
});
const bare = restate.object({
  name: 'Bare',
  options: durableDefaults,
  handlers: {
    run: async (ctx: restate.ObjectContext, { steps }: { steps: number }) => {
      for (let step = 0; step < steps; step++) await ctx.run(`step ${step}`, () => step);
    },
    act: async (ctx: restate.ObjectContext) => {
      const runId = await ctx.run('begin', () => randomUUID());
      await ctx.objectClient(bareRun, runId).go();
      await ctx.run('save reply', () => runId);
    },
  },
});
const identityKeys = [process.env['RESTATE_IDENTITY_KEYS'] ?? ''];
const port = Number(process.env['WORKER_PORT']);
const services = [bare, bareRun];
await serveDurable({ log, services, host: '127.0.0.1', port, identityKeys });
keepRegistered({
  deployments: openDeployments(process.env['RESTATE_ADMIN_URL']),
  workerUrl: `http://127.0.0.1:${port}`,
  services,
  force: true,
  log,
});
