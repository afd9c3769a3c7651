import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll } from 'vitest';
import { startMailCatcher } from '../../../tools/mail/index.ts';
import { startModelServer } from '../../../tools/model/index.ts';
import { startReceiver } from '../../../tools/receiver/index.ts';
import { freePort, startRestate } from '../../../tools/stack/index.ts';
import { startCollector } from './collector.ts';
import { startChild } from './faults/child.ts';
import { writePages } from './portal-pages.ts';
import { ownDir, settings, type openApi } from './harness.ts';

type App = Awaited<ReturnType<typeof openApi>>['app'];

/** An API that runs elsewhere, for fixtures that call `inject`. */
export const remoteApp = (origin: string): App =>
  ({
    inject: async ({ method, url, headers, payload }: InjectOptions) => {
      const response = await fetch(origin + url, {
        method,
        headers: { ...headers, ...(payload !== undefined && { 'content-type': 'application/json' }) },
        ...(payload !== undefined && { body: JSON.stringify(payload) }),
      });
      const body = await response.text();
      return { statusCode: response.status, body, json: () => JSON.parse(body) as unknown };
    },
  }) as unknown as App;
interface InjectOptions {
  method: string;
  url: string;
  headers: Record<string, string>;
  payload?: unknown;
}

/** A portal with two pages. */
async function startPortal(dir: string, apiUrl: string) {
  const root = join(dir, 'portal');
  writePages(root);
  const port = await freePort();
  const child = spawn(process.execPath, [join(import.meta.dirname, 'portal-pages.ts'), root], {
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      PORTAL_URL: `http://localhost:${port}`,
      API_URL: apiUrl,
      COOKIE_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      LOG_LEVEL: 'debug',
      STOP_NOTICE_SECONDS: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  for (const output of [child.stdout, child.stderr]) createInterface(output).on('line', (line) => lines.push(line));
  const ended = once(child, 'exit');
  for (let tries = 0; tries < 300 && !lines.some((line) => line.includes('listening')); tries++) await sleep(100);
  return { url: `http://localhost:${port}`, lines, ended, signal: (name: NodeJS.Signals) => child.kill(name) };
}

/** Secrets of the deployment, which no line and no span may contain. */
export const planted = { modelKey: `sk-canary-${randomBytes(16).toString('hex')}` };

/** API, worker and portal as processes, with everything that they call: Restate, a model, an SMTP server, a tenant's backend. */
export async function startTelemetryStack() {
  const dir = ownDir('telemetry');
  const [collector, restate, model, mail, receiver] = await Promise.all([
    startCollector(),
    startRestate(dir, { partitions: 4 }),
    startModelServer(),
    startMailCatcher(),
    startReceiver({ keep: 1_000 }),
  ]);
  const caFile = join(dir, 'receiver-ca.pem');
  writeFileSync(caFile, receiver.caPem);
  const [apiPort, workerPort] = [await freePort(), await freePort()];
  const shared = settings({
    RESTATE_INGRESS_URL: restate.ingressUrl,
    RESTATE_ADMIN_URL: restate.adminUrl,
    RESTATE_IDENTITY_KEYS: restate.identityKey,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '200',
    LOG_LEVEL: 'debug',
    SMTP_URL: mail.smtpUrl,
    PORTAL_URL: receiver.url, // its certificate is the one that clients see
    MODELS: JSON.stringify([
      {
        name: 'default',
        provider: 'openai-compatible',
        baseUrl: model.url,
        model: 'test',
        apiKey: planted.modelKey,
        inputPrice: 1,
        outputPrice: 2,
      },
    ]),
    EMBEDDINGS: JSON.stringify({
      provider: 'openai-compatible',
      baseUrl: model.url,
      model: 'test-embedding',
      dimensions: 64,
      inputPrice: 1,
    }),
    EGRESS_OPEN_HOSTS: `${settings()['EGRESS_OPEN_HOSTS']},${model.host}`,
    EGRESS_TENANT_OPEN_HOSTS: receiver.host,
    EGRESS_CA_FILE: caFile,
  });
  const api = startChild('src/api.ts', { ...shared, METRICS_PORT: String(apiPort) });
  const worker = startChild('src/worker.ts', { ...shared, WORKER_PORT: '0', METRICS_PORT: String(workerPort) });
  afterAll(async () => {
    for (const child of [api, worker]) child.signal('SIGKILL');
    collector.close();
    await Promise.all([restate.stop(), model.close(), mail.stop(), receiver.stop()]);
    rmSync(dir, { recursive: true, force: true });
  });
  const [{ url = '' }] = await Promise.all([api.ready, worker.ready]);
  const portal = await startPortal(dir, url);
  afterAll(() => void portal.signal('SIGKILL'));
  return { api, worker, portal, url, ports: { api: apiPort, worker: workerPort }, collector, model, mail, receiver };
}
