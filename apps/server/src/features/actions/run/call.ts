import { hash } from 'node:crypto';
import type { z } from 'zod';
import {
  EgressFailed,
  EgressRefused,
  type SafeFetch,
  type SafeRequest,
  type SafeResponse,
} from '../../../platform/safe-fetch.ts';
import { startOutboundSpan } from '../../../platform/outbound-span.ts';
import { closestTo } from '../../../platform/spans.ts';
import { isTooDeep, storable } from '../../../platform/storable.ts';
import { headersOf, hintOf, type Target } from '../../webhooks/index.ts';
import { SuccessResponse, ErrorResponse, StatusResponse, type RunAttempt, type RunError } from './runs.contract.ts';
import type { Run } from './runs.store.ts';
import { problemOfValue } from '../schema/schemas.ts';

// Sends one signed request to the tenant's backend and interprets the response. Does not use the database.

const maxBytes = 256 * 1024;

/** The result of one attempt. What follows from it also depends on the action's `effect`. */
export interface CallResult {
  end: NonNullable<RunAttempt['end']>;
  status: number | null;
  error: string | null;
  ms: number;
  hint: string;
  responseHash: string | null;
  /** If `end` is `answered`. */
  output?: unknown;
  display?: string | undefined;
  /** If `end` is `refused`. */
  problem?: RunError;
  isRetryable?: boolean;
}

export interface Exchange {
  request: { url: string; headers: Record<string, string>; body: string };
  response: { status: number; headers: Record<string, string>; body: string; isCut: boolean } | null;
}

export interface Call {
  run: Run;
  tenantId: string;
  target: Target;
  kind: RunAttempt['kind'];
  n: number;
  at: Date;
  deadline: Date;
  actor: { type: 'contact' | 'visitor' | 'test'; id: string; externalUserId?: string };
  /** The signed end-user assertion. null if the visitor is not authenticated. */
  assertion: string | null;
  apiVersion: string;
}

export function bodyOf({ run, tenantId, kind, n, at, deadline, actor, apiVersion }: Call): string {
  const { id, environmentId, actionId, botId, conversationId, spec, step, isTest, argsHash, args } = run;
  return JSON.stringify({
    id,
    type: kind === 'invoke' ? 'action.invoke' : 'action.status',
    apiVersion,
    tenantId,
    environmentId,
    actionId,
    action: spec.name,
    botId,
    conversationId,
    step,
    createdAt: at.toISOString(),
    deadline: deadline.toISOString(),
    attempt: n,
    test: isTest,
    actor,
    argsHash,
    ...(kind === 'invoke' && { input: args }),
  });
}

export async function callTenant(fetch: SafeFetch, call: Call): Promise<{ result: CallResult; exchange: Exchange }> {
  const { run, target, kind, n, at, assertion } = call;
  const body = bodyOf(call);
  const payload = {
    eventId: run.id,
    eventType: kind === 'invoke' ? 'action.invoke' : 'action.status',
    environmentId: run.environmentId,
    body: Buffer.from(body),
    actionId: run.actionId,
    traceparent: run.traceparent,
  };
  const headers = {
    ...headersOf(target, payload, n, Math.floor(at.getTime() / 1_000)),
    accept: 'application/json',
    ...(assertion !== null && { 'x-service-end-user': assertion }),
  };
  const span = startCallSpan(call, headers);
  const { timeoutMs } = run.spec;
  const request: SafeRequest = {
    url: target.url,
    method: 'POST',
    headers,
    body: payload.body,
    timeouts: { dnsMs: 3_000, connectMs: 5_000, headersMs: timeoutMs, totalMs: timeoutMs },
    maxBytes,
  };
  // Mask the values of custom headers: they may be the tenant's secrets.
  const maskedHeaders = Object.entries(headers).map(([name, value]) => [
    name,
    target.headers[name] === value ? '•••' : value,
  ]);
  const sentRequest = { url: target.url, headers: Object.fromEntries(maskedHeaders) as Record<string, string>, body };
  const startedAt = performance.now();
  const ms = () => Math.round(performance.now() - startedAt);
  try {
    const response = await fetch(request);
    const { status, truncated } = response;
    const text = response.body.toString('utf8');
    const responseHash = hash('sha256', response.body, 'hex');
    const result = { status, error: null, ms: ms(), responseHash, ...parseResponse(run, kind, response, text) };
    span.end({ status, error: result.error });
    const received = { status, headers: response.headers, body: text, isCut: truncated };
    return { result, exchange: { request: sentRequest, response: received } };
  } catch (thrown) {
    const failure = failureOf(thrown);
    span.end(failure);
    return { result: { ...failure, ms: ms() }, exchange: { request: sentRequest, response: null } };
  }
}

/** A tool that a model calls, or a visitor without one. */
function startCallSpan({ run, tenantId, target: { url }, kind, n }: Call, headers: Record<string, string>) {
  const parent = run.traceparent && closestTo(run.traceparent);
  const { name } = run.spec;
  if (kind === 'status')
    return startOutboundSpan(`action.status ${name}`, parent, { url, tenantId, attempt: n }, headers, {
      'parley.action_run.id': run.id,
    });
  return startOutboundSpan(`execute_tool ${name}`, parent, { url, tenantId, attempt: n }, headers, {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': name,
    'gen_ai.tool.type': 'extension',
    'parley.action_run.id': run.id,
  });
}

/** A failure during DNS lookup or connect means that nothing was sent, so a retry is safe whatever the `effect`. */
function failureOf(thrown: unknown): Omit<CallResult, 'ms'> {
  const isKnown = thrown instanceof EgressFailed || thrown instanceof EgressRefused;
  const error = isKnown ? thrown.reason : 'internal_error';
  const isSent =
    !(thrown instanceof EgressRefused) && !(thrown instanceof EgressFailed && /^(dns|connect)$/.test(thrown.step));
  const hint =
    error === 'timeout' && isSent
      ? 'No complete response in time. Respond within the action’s timeout, or return 202 and finish later.'
      : hintOf(null, error).replace(/ We’ll retry\.$/, '');
  return { end: isSent ? 'unclear' : 'not_sent', status: null, error, hint, responseHash: null };
}

type ParsedResponse = Pick<CallResult, 'end' | 'hint'> &
  Partial<Pick<CallResult, 'output' | 'display' | 'problem' | 'isRetryable' | 'error'>>;

function parseResponse(
  run: Run,
  kind: RunAttempt['kind'],
  { status, truncated }: SafeResponse,
  text: string,
): ParsedResponse {
  const json = truncated ? undefined : parseJson(text);
  const isGood = status >= 200 && status < 300;
  if (kind === 'status')
    return isGood
      ? parseStatusResponse(run, json)
      : unclear(`Your endpoint returned ${status} to the status request.`, 'invalid_status');
  if (status === 202) return { end: 'accepted', hint: 'Your endpoint returned 202. Waiting for action.completed.' };
  const rejected = ErrorResponse.safeParse(json);
  if (!isGood && rejected.success) return rejection(rejected.data);
  if (isGood) {
    if (truncated) return unclear('The response is larger than 256 KiB.', 'too_large');
    const success = SuccessResponse.safeParse(json);
    if (!success.success)
      return unclear('A 2xx response must be JSON: { "output": { … }, "display"?: "…" }.', 'invalid_response');
    return checkOutput(run, success.data);
  }
  // Many backends redirect after a successful request. Only 301, 307 and 308 say that nothing was done here.
  if (status < 400 && status !== 301 && status !== 307 && status !== 308)
    return unclear(
      `Your endpoint returned ${status}, and we don’t follow redirects. Return { "output": { … } } instead.`,
      'redirect',
    );
  // After 5xx or 408 the action may have been carried out in part. 425 and 429 are retried. Other 4xx are rejections.
  if (status >= 500 || status === 408 || status === 425 || status === 429)
    return {
      ...(status === 429 || status === 425 ? { end: 'refused', isRetryable: true } : { end: 'unclear' }),
      hint: hintOf(status, null).split(' We’ll ')[0] ?? '',
      problem: { code: `http_${status}`, message: '' },
    };
  return {
    end: 'refused',
    hint: `Your endpoint returned ${status}. To give a reason, return { "error": { "code", "message", "retryable" } }.`,
    problem: { code: `http_${status}`, message: '' },
  };
}

const rejection = ({ error, display }: z.infer<typeof ErrorResponse>): ParsedResponse => ({
  end: 'refused',
  hint: 'Your endpoint rejected the request and gave a reason.',
  problem: { code: error.code, message: error.message },
  isRetryable: error.retryable,
  display,
});

const unclear = (hint: string, error: string): ParsedResponse => ({ end: 'unclear', hint, error });

function checkOutput(
  { spec }: Run,
  { output, display }: { output: unknown; display?: string | undefined },
): ParsedResponse {
  const problem = spec.outputSchema && problemOfValue(spec.outputSchema, output);
  if (problem) return unclear(`The output does not match the schema: ${problem}.`, 'invalid_output');
  return { end: 'answered', hint: 'Succeeded.', output, display };
}

function parseStatusResponse(run: Run, json: unknown): ParsedResponse {
  const response = StatusResponse.safeParse(json);
  if (!response.success)
    return unclear(
      'Respond to action.status with { "status": "succeeded" | "failed" | "pending" | "not_found", … }.',
      'invalid_status',
    );
  const { data } = response;
  if (data.status === 'pending') return { end: 'pending', hint: 'Your endpoint is still working on it.' };
  if (data.status === 'not_found')
    return { end: 'absent', hint: 'Your endpoint did not receive it. We’ll send it again.' };
  return data.status === 'succeeded' ? checkOutput(run, data) : { ...rejection(data), isRetryable: false };
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(value) ? undefined : storable(value);
  } catch {
    return undefined;
  }
}
