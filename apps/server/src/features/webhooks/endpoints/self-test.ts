import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import { orNotFound } from '../../../platform/errors.ts';
import type { CallerContext } from '../../../platform/http/route.ts';
import type { SafeFetch, SafeRequest } from '../../../platform/safe-fetch.ts';
import { sampleData } from '../catalogue.ts';
import type { TestedWebhook } from '../log/deliveries.contract.ts';
import { listenerFetch } from '../listen/listener-fetch.ts';
import { pingPayload } from './ping.ts';
import { headersOf, send, type OutboundPayload, type Target } from '../delivery/send.ts';
import { toWebhook } from './views.ts';
import { targetOf } from './targets.ts';
import * as store from './webhooks.store.ts';

type Checks = z.input<typeof TestedWebhook>['checks'];

/** Sends a real request now, regardless of the endpoint's state and filters. Not counted in its health. */
export async function testWebhook(
  caller: CallerContext,
  direct: SafeFetch,
  webhookId: string,
  { mode, type }: { mode: 'sample' | 'security'; type: string },
): Promise<z.input<typeof TestedWebhook>> {
  const { webhook, target, endpoint, now } = await caller.inTenant(async (ctx) => {
    const found = orNotFound('webhook', await store.find(ctx.tx, webhookId));
    return { endpoint: found, webhook: await toWebhook(ctx, found), target: await targetOf(ctx, found), now: ctx.now };
  });
  const payloadOf = (of: string) =>
    pingPayload({ ...caller, now }, endpoint, { type: of, data: sampleData(of), isTest: true });
  const fetch = target.listenedTo ? listenerFetch((work) => caller.inTenant(work), target.listenedTo) : direct;
  const { attempt } = await send(fetch, target, payloadOf(type), 1);
  const checks = mode === 'security' ? await selfTest(fetch, target, payloadOf) : [];
  return { webhook, attempt, checks };
}

/** Sends invalid pings that the receiver should reject, and valid ones that it should accept. */
async function selfTest(
  fetch: SafeFetch,
  target: Target,
  payloadOf: (type: string) => OutboundPayload,
): Promise<Checks> {
  const seconds = () => Math.floor(Date.now() / 1_000);
  const post = async (
    payload: OutboundPayload,
    headers: Record<string, string>,
    request: Partial<SafeRequest> = {},
  ) => {
    const call = { url: target.url, method: 'POST' as const, headers, body: payload.body, maxBytes: 1_024, ...request };
    return (await fetch(call).catch(() => null))?.status ?? null;
  };
  const isAccepted = (status: number | null) => status !== null && status >= 200 && status < 300;
  const good = payloadOf('ping');
  const first = await post(good, headersOf(target, good, 1, seconds()));
  const repeated = await post(good, headersOf(target, good, 2, seconds()));
  const wrongSecret = { ...target, secrets: [`whsec_${randomBytes(32).toString('base64')}`] };
  const forgedPing = payloadOf('ping');
  const forged = await post(forgedPing, headersOf(wrongSecret, forgedPing, 1, seconds()));
  const old = payloadOf('ping');
  const stale = await post(old, headersOf(target, old, 1, seconds() - 360));
  const other = payloadOf('ping');
  const mismatchedHeaders = { ...headersOf(target, other, 1, seconds()), 'x-service-tenant-id': 'ten_someone_else' };
  const mismatched = await post(other, mismatchedHeaders);
  return [
    {
      name: 'good',
      isPassed: isAccepted(first),
      status: first,
      advice: isAccepted(first)
        ? 'Correctly signed requests are accepted.'
        : 'A correctly signed request was rejected. Check the secret, and verify the raw bytes of the body.',
    },
    {
      name: 'repeated',
      isPassed: isAccepted(repeated),
      status: repeated,
      advice: isAccepted(repeated)
        ? 'A repeated event is answered with 2xx. Make sure you process it only once, by its id.'
        : 'A repeated event was rejected, so we would keep retrying it. Return 2xx and ignore it.',
    },
    mustReject(
      'forged',
      forged,
      'A request with a wrong signature was accepted, so anyone could send you events. Verify X-Service-Signature.',
    ),
    mustReject(
      'stale',
      stale,
      'A request that was six minutes old was accepted, so a recorded request could be replayed. Check X-Service-Timestamp.',
    ),
    mustReject(
      'mismatched',
      mismatched,
      'Headers that contradict the signed body were trusted. Compare tenant, environment and id with the body.',
    ),
  ];

  function mustReject(name: 'forged' | 'stale' | 'mismatched', status: number | null, advice: string) {
    const isPassed = !isAccepted(status);
    return { name, isPassed, status, advice: isPassed ? 'Rejected, as expected.' : advice };
  }
}
