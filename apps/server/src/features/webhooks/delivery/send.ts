import { newId } from '../../../platform/ids.ts';
import { unitMs } from '../../../platform/invocation-limits.ts';
import { startOutboundSpan } from '../../../platform/outbound-span.ts';
import { EgressFailed, EgressRefused, type SafeFetch } from '../../../platform/safe-fetch.ts';
import { currentVersion } from '../../../platform/version.ts';
import { hintOf } from './hints.ts';
import { readRetryAfter } from './schedule.ts';
import { signatureHeader, standardSignature } from './signature.ts';

/** Where to send a request and how to sign it. Read for each attempt, so that changes take effect immediately. */
export interface Target {
  url: string;
  headers: Record<string, string>;
  /** Newest first. */
  secrets: readonly string[];
  tenantId: string;
  /** For events without an environment. */
  environmentId: string;
  /** Id of the endpoint if `parley listen` is running for it: requests then go to the listener. */
  listenedTo?: string | undefined;
}

/** The request body is the same bytes for every attempt. */
export interface OutboundPayload {
  eventId: string;
  eventType: string;
  environmentId: string | null;
  body: Buffer;
  traceparent?: string | null;
  /** Set for private actions, undefined for events. */
  actionId?: string;
  /** Set for what may have been delivered before the database was restored. */
  restoreEpoch?: number | null;
}

/** As stored in the delivery log. */
export interface Attempt {
  id: string;
  number: number;
  at: string;
  outcome: 'succeeded' | 'failed' | 'unknown' | 'unsent';
  status: number | null;
  error: string | null;
  hint: string;
  timings: { dnsMs: number; connectMs: number; tlsMs: number; firstByteMs: number; totalMs: number } | null;
  ip: string | null;
  /** The start of the response body. */
  response: string | null;
}

export interface SendResult {
  attempt: Attempt;
  isOverload: boolean;
  holdUntil?: Date | undefined;
  /** What the response asks us to do. */
  directive?: 'abort' | 'gone' | 'receiver' | undefined;
}

const timeouts = { dnsMs: 3_000, connectMs: 5_000, headersMs: unitMs, totalMs: unitMs };
const readBytes = 16 * 1024;
const excerptBytes = 1_024;

export function headersOf(
  target: Target,
  payload: OutboundPayload,
  number: number,
  timestamp: number,
): Record<string, string> {
  const { secrets, tenantId } = target;
  const {
    eventId,
    eventType,
    environmentId,
    body,
    traceparent,
    actionId = `event:${eventType}`,
    restoreEpoch,
  } = payload;
  return {
    ...target.headers,
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Parley-Webhooks/1',
    'x-service-signature': signatureHeader(secrets, timestamp, body),
    'x-service-timestamp': String(timestamp),
    'x-service-tenant-id': tenantId,
    'x-service-environment-id': environmentId ?? target.environmentId,
    'x-service-action-id': actionId,
    'idempotency-key': eventId,
    'webhook-id': eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standardSignature(secrets, eventId, timestamp, body),
    'x-service-event': eventType,
    'x-service-attempt': String(number),
    'x-service-version': currentVersion,
    ...(typeof restoreEpoch === 'number' && { 'x-service-restore-epoch': String(restoreEpoch) }),
    ...(traceparent && { traceparent }),
  };
}

/** Sends one request, signed now. Never throws: every failure becomes an attempt for the log. */
export async function send(
  fetch: SafeFetch,
  target: Target,
  payload: OutboundPayload,
  number: number,
): Promise<SendResult> {
  const now = new Date();
  const headers = headersOf(target, payload, number, Math.floor(now.getTime() / 1_000));
  const { url, tenantId } = target;
  const span = startOutboundSpan('webhook', payload.traceparent, { url, tenantId, attempt: number }, headers, {
    'messaging.destination.name': payload.eventType,
    'messaging.message.id': payload.eventId,
  });
  const base = { id: newId('attempt'), number, at: now.toISOString() };
  try {
    const response = await fetch({
      url,
      method: 'POST',
      headers,
      body: payload.body,
      timeouts,
      maxBytes: readBytes,
    });
    const { status, timings, remoteAddress } = response;
    span.end({ status, error: null });
    const attempt: Attempt = {
      ...base,
      outcome: status >= 200 && status < 300 ? 'succeeded' : 'failed',
      status,
      error: null,
      hint: hintOf(status, null, response.headers),
      timings: rounded(timings),
      ip: remoteAddress,
      response: excerptOf(response.body),
    };
    return { attempt, isOverload: status === 429 || status === 503, ...directivesOf(status, response.headers, now) };
  } catch (thrown) {
    const error = errorOf(thrown);
    span.end({ status: null, error });
    const outcome = error === 'internal_error' ? 'unsent' : 'failed';
    const failed: Attempt = {
      ...base,
      outcome,
      status: null,
      error,
      hint: hintOf(null, error),
      timings: null,
      ip: null,
      response: null,
    };
    return { attempt: failed, isOverload: error === 'timeout' };
  }
}

function directivesOf(
  status: number,
  headers: Record<string, string>,
  now: Date,
): Pick<SendResult, 'directive' | 'holdUntil'> {
  const control = headers['x-service-delivery']?.trim().toLowerCase();
  const isOverload = status === 429 || status === 503;
  const isFailure = status < 200 || status >= 300;
  return {
    ...(isOverload && { holdUntil: readRetryAfter(headers['retry-after'], now) }),
    ...(control === 'disable' ? { directive: 'receiver' } : status === 410 ? { directive: 'gone' } : {}),
    ...(control === 'abort' && isFailure && { directive: 'abort' }),
  };
}

/** Not caused by the receiver: we are out of sockets, or our DNS resolver is unavailable. */
const localErrorCodes = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL', 'ENETDOWN', 'EAI_AGAIN']);

function errorOf(thrown: unknown): string {
  const causes: string[] = [];
  for (let error = thrown as { code?: string; cause?: unknown } | undefined; error; error = error.cause as typeof error)
    if (error.code) causes.push(error.code);
  if (causes.some((code) => localErrorCodes.has(code))) return 'internal_error';
  if (thrown instanceof EgressFailed || thrown instanceof EgressRefused) return thrown.reason;
  return 'internal_error'; // a bug on our side
}

const rounded = <T extends Record<string, number>>(timings: T): T =>
  Object.fromEntries(Object.entries(timings).map(([name, ms]) => [name, Math.round(ms * 10) / 10])) as T;

/** Without null characters, which PostgreSQL can't store in JSON. */
export const excerptOf = (body: Buffer) =>
  body.subarray(0, excerptBytes).toString('utf8').replaceAll('\0', '').toWellFormed();
