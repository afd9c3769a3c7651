import { createSecureContext } from 'node:tls';
import { Agent, fetch as fetchWith, type RequestInit as UndiciInit } from 'undici';
import { trusted } from './outside.ts';

// Requests of many visitors. Each comes from its own IP address, as the proxy sees it: fixtures name it in
// `x-forwarded-for`, and here a connection is opened from it instead.

export interface Traffic {
  requests: number;
  /** Refused, broken or answered with 5xx: what a load balancer would count as an error. */
  failed: string[];
  /** 429. */
  limited: number;
  /** Event streams that broke instead of ending. Widgets reconnect. */
  brokenStreams: number;
  /** The longest time until a response, in ms. */
  slowestMs: number;
}

const isOwnTimeout = (error: unknown) =>
  error instanceof Error && /abort|timeout/i.test(`${error.name} ${error.message}`);
const describe = (error: unknown): string =>
  error instanceof Error
    ? `${error.message} ${error.cause === undefined ? '' : describe(error.cause)}`.trim()
    : String(error);

/** Replaces `fetch` and counts until `stop` is called. */
export function countTraffic(): Traffic & { stop(): void } {
  const original = globalThis.fetch;
  const agents = new Map<string, Agent>();
  const connect = { secureContext: createSecureContext({ ca: trusted() }) }; // 3 MB: too much for one per visitor
  const agentOf = (ip: string) => {
    const known = agents.get(ip);
    if (known) return known;
    const agent = new Agent({
      connect,
      ...(ip && { localAddress: ip }),
      connections: ip ? 4 : 64,
      keepAliveTimeout: 4_000,
      bodyTimeout: 60_000,
    });
    agents.set(ip, agent);
    return agent;
  };
  const traffic: Traffic = { requests: 0, failed: [], limited: 0, brokenStreams: 0, slowestMs: 0 };

  async function* observed(body: AsyncIterable<Uint8Array>) {
    try {
      yield* body;
    } catch (error) {
      if (!isOwnTimeout(error)) traffic.brokenStreams++;
      throw error;
    }
  }

  const counted = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = String(input instanceof Request ? input.url : input);
    if (!url.startsWith('https:')) return original(input, init); // Restate's admin API, not the product
    const headers = new Headers(init.headers);
    const ip = headers.get('x-forwarded-for') ?? '';
    headers.delete('x-forwarded-for');
    const startedAt = Date.now();
    const at = `${init.method ?? 'GET'} ${new URL(url).host}${new URL(url).pathname}`;
    traffic.requests++;
    try {
      const options = { ...init, headers: Object.fromEntries(headers), dispatcher: agentOf(ip) } as UndiciInit;
      const response = await fetchWith(url, options);
      if (response.status >= 500) traffic.failed.push(`${new Date(startedAt).toISOString()} ${at}: ${response.status}`);
      if (response.status === 429) traffic.limited++;
      traffic.slowestMs = Math.max(traffic.slowestMs, Date.now() - startedAt);
      const body = response.body && ReadableStream.from(observed(response.body as AsyncIterable<Uint8Array>));
      return new Response(body as ReadableStream | null, { status: response.status, headers: [...response.headers] });
    } catch (error) {
      if (!isOwnTimeout(error) || Date.now() - startedAt > 14_000)
        traffic.failed.push(`${new Date(startedAt).toISOString()} ${at}: ${describe(error)}`);
      throw error;
    }
  };
  globalThis.fetch = counted;
  return Object.assign(traffic, {
    stop: () => {
      globalThis.fetch = original;
      for (const agent of agents.values()) void agent.destroy();
    },
  });
}
