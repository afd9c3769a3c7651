import { createServer, type ServerHttp2Session } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createEndpointHandler,
  type LoggerTransport,
  type ServiceDefinition,
  type ServiceOptions,
  type VirtualObjectDefinition,
  type WorkflowDefinition,
} from '@restatedev/restate-sdk';
import { deploymentUrl } from './deployments.ts';
import { productVersion } from './product-version.ts';
import { tenantIn, traced } from './restate-spans.ts';
import { traceIdOf } from './spans.ts';
import type { Log } from './telemetry.ts';

export type Durable =
  | ServiceDefinition<string, unknown>
  | VirtualObjectDefinition<string, unknown>
  | WorkflowDefinition<string, unknown>;

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
  version?: string;
}

/** Serves durable handlers to Restate. Calls without a valid signature are rejected. */
export async function serveDurable({
  log,
  services,
  host,
  port,
  identityKeys,
  version = productVersion,
}: DurableServerOptions) {
  const handle = createEndpointHandler({
    services,
    logger: toLog(log),
    ...(identityKeys.length > 0 && { identityKeys }),
  });
  const discoverPath = new URL(`${deploymentUrl('http://worker', version)}/discover`).pathname;
  const server = createServer((request, response) => {
    // Calls that started on another version are accepted, because their journals are compatible. But Restate must not take
    // the handlers of this version for those of another.
    if (request.url.endsWith('/discover') && request.url !== discoverPath) return void response.writeHead(404).end();
    handle(request, response);
  });
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
    if (!log.isLevelEnabled(levels[level])) return;
    const err = rest.find((item) => item instanceof Error);
    const traceparent = context?.request?.headers.get('traceparent');
    const [text = ''] = String(message).split('\n'); // what follows is the stack of an error, with its message
    log[levels[level]](
      {
        ...(context && { invocation: context.invocationTarget, invocationId: context.invocationId }),
        tenantId: tenantIn(context?.key),
        traceId: traceparent === undefined ? undefined : traceIdOf(traceparent),
        ...(err && { err }),
      },
      text.slice(0, 300),
    );
  };
