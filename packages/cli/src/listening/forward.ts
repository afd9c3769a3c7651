import { setTimeout as sleep } from 'node:timers/promises';

/** What is to be sent on, as the service signed it. */
export interface Call {
  id: string;
  attempt: number;
  eventType: string;
  headers: Record<string, string>;
  body: string;
  timeoutMs: number;
}

export interface Answer {
  id: string;
  attempt: number;
  status: number | null;
  error: 'connect_failed' | 'timeout' | 'reset' | null;
  headers: Record<string, string>;
  body: string;
  ms: number;
}

/** What of an answer the service reads. */
const kept = ['content-type', 'retry-after', 'x-service-delivery', 'x-service-verified-key'];
const maxCharacters = 256 * 1024;
const againAfterMs = 250;

interface Timeout {
  /** How long a server that is not there may take to come back: it may be starting anew. */
  absentMs: number;
  /** Whether one that was cut off may be sent again. An event may, by its id; an action might be done twice. */
  mayRepeat: boolean;
  /** Told once when nobody is there. */
  onAbsent: () => void;
}

/** Sends it on byte for byte, and waits for a server that is just starting. */
export async function forward(to: string, call: Call, { absentMs, mayRepeat, onAbsent }: Timeout): Promise<Answer> {
  const began = performance.now();
  let isTold = false;
  for (;;) {
    const answer = await once(to, call, began);
    const isAbsent = answer.error === 'connect_failed' || (answer.error === 'reset' && mayRepeat);
    if (!isAbsent || performance.now() - began > absentMs) return answer;
    if (!isTold) onAbsent();
    isTold = true;
    await sleep(againAfterMs);
  }
}

async function once(to: string, { id, attempt, headers, body, timeoutMs }: Call, began: number): Promise<Answer> {
  const passed = () => Math.round(performance.now() - began);
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(to, { method: 'POST', headers, body, redirect: 'manual', signal });
    const text = await response.text();
    const said = kept.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value.slice(0, 2_048)]];
    });
    return {
      id,
      attempt,
      status: response.status,
      error: null,
      headers: Object.fromEntries(said) as Record<string, string>,
      body: text.slice(0, maxCharacters),
      ms: passed(),
    };
  } catch (error) {
    return { id, attempt, status: null, error: reasonOf(error), headers: {}, body: '', ms: passed() };
  }
}

function reasonOf(error: unknown): NonNullable<Answer['error']> {
  if (error instanceof Error && error.name === 'TimeoutError') return 'timeout';
  const codes = new Set<string>();
  // Where a name has two addresses, each has failed in its own way.
  const look = (one: unknown): void => {
    if (!(one instanceof Error)) return;
    if ('code' in one) codes.add(String(one.code));
    if (one instanceof AggregateError) one.errors.forEach(look);
    look(one.cause);
  };
  look(error);
  const isAbsent = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'EADDRNOTAVAIL'].some((code) => codes.has(code));
  return isAbsent ? 'connect_failed' : 'reset';
}
