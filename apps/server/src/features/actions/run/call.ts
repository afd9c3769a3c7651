import { hash } from 'node:crypto';
import type { z } from 'zod';
import {
  EgressFailed,
  EgressRefused,
  type SafeFetch,
  type SafeRequest,
  type SafeResponse,
} from '../../../platform/safe-fetch.ts';
import { isTooDeep, storable } from '../../../platform/storable.ts';
import { headersOf, hintOf, type Target } from '../../webhooks/index.ts';
import { Answered, Refused, StatusAnswer, type RunAttempt, type RunError } from './runs.contract.ts';
import type { Run } from './runs.store.ts';
import { problemOfValue } from '../schema/schemas.ts';

// One signed call to the tenant's own system, and what its answer means. Knows no database.

const maxBytes = 256 * 1024;

/** What is known after an attempt. Whoever acts on it also knows what the action promises. */
export interface Ended {
  end: NonNullable<RunAttempt['end']>;
  status: number | null;
  error: string | null;
  ms: number;
  hint: string;
  responseHash: string | null;
  /** With `answered`. */
  output?: unknown;
  display?: string | undefined;
  /** With `refused`. */
  problem?: RunError;
  mayTryAgain?: boolean;
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
  /** The signed assertion of who is asking, where a backend vouched for them. */
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

export async function callTenant(fetch: SafeFetch, call: Call): Promise<{ ended: Ended; exchange: Exchange }> {
  const { run, target, kind, n, at, assertion } = call;
  const body = bodyOf(call);
  const payload = {
    eventId: run.id,
    eventType: kind === 'invoke' ? 'action.invoke' : 'action.status',
    environmentId: run.environmentId,
    body: Buffer.from(body),
    actionId: run.actionId,
  };
  const headers = {
    ...headersOf(target, payload, n, Math.floor(at.getTime() / 1_000)),
    accept: 'application/json',
    ...(assertion !== null && { 'x-service-end-user': assertion }),
  };
  const { timeoutMs } = run.spec;
  const request: SafeRequest = {
    url: target.url,
    method: 'POST',
    headers,
    body: payload.body,
    timeouts: { dnsMs: 3_000, connectMs: 5_000, headersMs: timeoutMs, totalMs: timeoutMs },
    maxBytes,
  };
  // Headers that the tenant keeps with us are theirs: they are named, and not shown.
  const hidden = Object.entries(headers).map(([name, value]) => [name, target.headers[name] === value ? '•••' : value]);
  const shown = { url: target.url, headers: Object.fromEntries(hidden) as Record<string, string>, body };
  const began = performance.now();
  const ms = () => Math.round(performance.now() - began);
  try {
    const answer = await fetch(request);
    const { status, truncated } = answer;
    const text = answer.body.toString('utf8');
    const response = { status, headers: answer.headers, body: text, isCut: truncated };
    const responseHash = hash('sha256', answer.body, 'hex');
    const ended = { status, error: null, ms: ms(), responseHash, ...read(run, kind, answer, text) };
    return { ended, exchange: { request: shown, response } };
  } catch (thrown) {
    return { ended: { ...failureOf(thrown), ms: ms() }, exchange: { request: shown, response: null } };
  }
}

/** Nothing was sent before the request's own headers: what failed until then can be sent again in any mode. */
function failureOf(thrown: unknown): Omit<Ended, 'ms'> {
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

type Read = Pick<Ended, 'end' | 'hint'> &
  Partial<Pick<Ended, 'output' | 'display' | 'problem' | 'mayTryAgain' | 'error'>>;

function read(run: Run, kind: RunAttempt['kind'], { status, truncated }: SafeResponse, text: string): Read {
  const json = truncated ? undefined : parsed(text);
  const isGood = status >= 200 && status < 300;
  if (kind === 'status')
    return isGood
      ? readStatus(run, json)
      : unclear(`Your endpoint returned ${status} to the status request.`, 'invalid_status');
  if (status === 202) return { end: 'accepted', hint: 'Your endpoint returned 202. Waiting for action.completed.' };
  const refused = Refused.safeParse(json);
  if (!isGood && refused.success) return refusal(refused.data);
  if (isGood) {
    if (truncated) return unclear('The response is larger than 256 KiB.', 'too_large');
    const answered = Answered.safeParse(json);
    if (!answered.success)
      return unclear('A 2xx response must be JSON: { "output": { … }, "display"?: "…" }.', 'invalid_response');
    return checked(run, answered.data);
  }
  // Many send people on to a page after it was done. Only what has moved was certainly not done here.
  if (status < 400 && status !== 301 && status !== 307 && status !== 308)
    return unclear(
      `Your endpoint returned ${status}, and we don’t follow redirects. Return { "output": { … } } instead.`,
      'redirect',
    );
  // A definite no of a server that did not speak our language; only what may have been half done is unclear.
  if (status >= 500 || status === 408 || status === 425 || status === 429)
    return {
      ...(status === 429 || status === 425 ? { end: 'refused', mayTryAgain: true } : { end: 'unclear' }),
      hint: hintOf(status, null).split(' We’ll ')[0] ?? '',
      problem: { code: `http_${status}`, message: '' },
    };
  return {
    end: 'refused',
    hint: `Your endpoint returned ${status}. To give a reason, return { "error": { "code", "message", "retryable" } }.`,
    problem: { code: `http_${status}`, message: '' },
  };
}

const refusal = ({ error, display }: z.infer<typeof Refused>): Read => ({
  end: 'refused',
  hint: 'Your endpoint rejected the request and gave a reason.',
  problem: { code: error.code, message: error.message },
  mayTryAgain: error.retryable,
  display,
});

const unclear = (hint: string, error: string): Read => ({ end: 'unclear', hint, error });

function checked({ spec }: Run, { output, display }: { output: unknown; display?: string | undefined }): Read {
  const problem = spec.outputSchema && problemOfValue(spec.outputSchema, output);
  if (problem) return unclear(`The output does not match the schema: ${problem}.`, 'invalid_output');
  return { end: 'answered', hint: 'Succeeded.', output, display };
}

function readStatus(run: Run, json: unknown): Read {
  const told = StatusAnswer.safeParse(json);
  if (!told.success)
    return unclear(
      'Respond to action.status with { "status": "succeeded" | "failed" | "pending" | "not_found", … }.',
      'invalid_status',
    );
  const { data } = told;
  if (data.status === 'pending') return { end: 'pending', hint: 'Your endpoint is still working on it.' };
  if (data.status === 'not_found')
    return { end: 'absent', hint: 'Your endpoint did not receive it. We’ll send it again.' };
  return data.status === 'succeeded' ? checked(run, data) : { ...refusal(data), mayTryAgain: false };
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(value) ? undefined : storable(value);
  } catch {
    return undefined;
  }
}
