import { createServer, type ServerHttp2Session } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import {
  createEndpointHandler,
  type HooksProvider,
  type LoggerTransport,
  type ServiceDefinition,
  type ServiceOptions,
  type VirtualObjectDefinition,
  type WorkflowDefinition,
} from '@restatedev/restate-sdk';
import { connect, rpc, type Ingress, type SendOpts } from '@restatedev/restate-sdk-clients';
import { openTelemetryHook } from '@restatedev/restate-sdk-opentelemetry';
import { createRestateFetch } from './restate-fetch.ts';
import type { Log } from './telemetry.ts';

/**
 * Calls durable handlers. Only through a feature's `.interface`, so that a wrong service, handler or input does not
 * compile; the SDK's other clients take names as strings.
 */
export type RestateClient = Pick<Ingress, 'client' | 'sendClient'>;
export const connectRestate = (ingressUrl: string, token?: string): RestateClient =>
  connect({ url: ingressUrl, headers: bearerOf(token), fetch: createRestateFetch(ingressUrl) });

/** For a proxy in front of Restate, which has no authentication. */
export const bearerOf = (token: string | undefined): Record<string, string> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` };

export interface SendSettings {
  /** A repeated call with the same key has no effect. Without it, every call runs. */
  idempotencyKey?: string | undefined;
  delayMs?: number;
  traceparent?: string | null | undefined;
}

export const sendOptions = <I>({ idempotencyKey, delayMs, traceparent }: SendSettings): SendOpts<I> =>
  rpc.sendOpts({
    ...(idempotencyKey && { idempotencyKey }),
    ...(delayMs !== undefined && { delay: { milliseconds: delayMs } }),
    ...(traceparent && { headers: { traceparent } }),
  });

export const checkRestate = async (ingressUrl: string, token?: string): Promise<void> => {
  const response = await fetch(`${ingressUrl}/restate/health`, {
    headers: bearerOf(token),
    signal: AbortSignal.timeout(1_000),
  });
  if (!response.ok) throw new Error(`Restate returned ${response.status}`);
};

export type Durable =
  | ServiceDefinition<string, unknown>
  | VirtualObjectDefinition<string, unknown>
  | WorkflowDefinition<string, unknown>;

const traceAttempt = openTelemetryHook({ tracer: trace.getTracer('parley') });

/**
 * Creates a span for each attempt and step, in the trace of the request that started it. Restate passes the trace on only
 * if its own tracing is enabled; otherwise it is in the original headers.
 */
const traced: HooksProvider = (ctx) => {
  const { headers, attemptHeaders } = ctx.request;
  if (attemptHeaders.has('traceparent')) return traceAttempt(ctx);
  const request = Object.create(ctx.request, { attemptHeaders: { value: headers } }) as typeof ctx.request;
  return traceAttempt(Object.create(ctx, { request: { value: request } }) as typeof ctx);
};

/**
 * For every service: a failing call is retried for a day and then killed instead of paused. Nothing is lost: its row is
 * still open, and the sweeper calls it again.
 */
export const durableDefaults: ServiceOptions = {
  retryPolicy: {
    initialInterval: { milliseconds: 200 },
    maxInterval: { minutes: 5 },
    exponentiationFactor: 2,
    maxAttempts: 300,
    onMaxAttempts: 'kill',
  },
  hooks: [traced],
};

interface DurableServerOptions {
  log: Log;
  services: Durable[];
  host: string;
  port: number;
  identityKeys: string[];
}

/** Serves durable handlers to Restate. Calls without a valid signature are rejected. */
export async function serveDurable({ log, services, host, port, identityKeys }: DurableServerOptions) {
  const server = createServer(
    createEndpointHandler({ services, logger: toLog(log), ...(identityKeys.length > 0 && { identityKeys }) }),
  );
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    /** Accepts no new calls and waits for running ones. Restate retries interrupted ones on another worker. */
    stop: async (graceSeconds: number) => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const session of sessions) session.close();
      await Promise.race([closed, sleep(graceSeconds * 1_000, undefined, { ref: false })]);
      for (const session of sessions) session.destroy();
    },
  };
}

const levels = { trace: 'trace', debug: 'debug', info: 'debug', warn: 'warn', error: 'error' } as const;

/** Forwards the SDK's log. Its `info` lines, one per attempt, are logged at `debug`. */
const toLog =
  (log: Log): LoggerTransport =>
  ({ level, context }, message: unknown, ...rest: unknown[]) => {
    const err = rest.find((item) => item instanceof Error);
    log[levels[level]](
      { ...(context && { invocation: context.invocationTarget }), ...(err && { err }) },
      String(message),
    );
  };

interface Registration {
  adminUrl: string;
  adminToken?: string | undefined;
  workerUrl: string;
  /** Replaces a deployment at the same URL. For development, where its code changes. */
  force: boolean;
  log: Log;
}

/**
 * Registers this worker with Restate, retries until it succeeds, and registers again if Restate lost its data. Runs in the
 * background, so that a worker can start while Restate is down.
 */
export function keepRegistered(registration: Registration, everyMs = 15_000): { stop(): Promise<void> } {
  const { log } = registration;
  const stopping = new AbortController();
  const running = (async () => {
    let hasRegistered = false;
    for (let failures = 0; !stopping.signal.aborted;) {
      try {
        // Always register once, because the code at this URL may have changed.
        if (!hasRegistered || !(await isRegistered(registration))) await register(registration);
        hasRegistered = true;
        failures = 0;
      } catch (error) {
        failures++;
        log.warn({ err: error, failures }, 'Restate registration failed; retrying');
      }
      const pauseMs = failures > 0 ? Math.min(250 * failures, 5_000) : everyMs;
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  return {
    stop: () => {
      stopping.abort();
      return running;
    },
  };
}

async function register({ adminUrl, adminToken, workerUrl, force, log }: Registration): Promise<void> {
  const response = await fetch(`${adminUrl}/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bearerOf(adminToken) },
    body: JSON.stringify({ uri: workerUrl, force }),
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new Error(`Restate returned ${response.status}: ${(await response.text()).slice(0, 500)}`);
  log.info('registered with Restate');
}

async function isRegistered({ adminUrl, adminToken, workerUrl }: Registration): Promise<boolean> {
  const response = await fetch(`${adminUrl}/deployments`, {
    headers: bearerOf(adminToken),
    signal: AbortSignal.timeout(10_000),
  });
  const { deployments } = (await response.json()) as { deployments: { uri?: string }[] };
  const plain = (url: string | undefined) => url?.replace(/\/$/, '');
  return deployments.some(({ uri }) => plain(uri) === plain(workerUrl));
}
