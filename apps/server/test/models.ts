import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { expect } from 'vitest';
import { callModel, ModelFailed, type ModelConnection, type ModelRequest } from '../src/platform/model.ts';
import { createSafeFetch } from '../src/platform/safe-fetch.ts';
import { guardedFetch } from '../src/platform/safe-fetch-web.ts';
import { aServer, onCleanup } from './egress.ts';

export const apiKey = 'sk-a-secret-of-the-tenant';
export const secretPrompt = 'You keep the word xylophone.';
export const request: ModelRequest = {
  system: secretPrompt,
  messages: [{ role: 'user', text: 'When do you open?' }],
  maxOutputTokens: 100,
  temperature: 0.2,
  firstTokenMs: 5000,
  stallMs: 5000,
  totalMs: 10_000,
};

export const connectionTo = (baseUrl: string, more: Partial<ModelConnection> = {}): ModelConnection => ({
  provider: 'openai-compatible',
  baseUrl,
  model: 'demo',
  apiKey,
  inputPrice: 0.4,
  outputPrice: 1.6,
  ...more,
});

/** An HTTP client that may connect to these hosts. */
export function fetchTo(...openHosts: string[]) {
  const httpClient = createSafeFetch({ openHosts, ownHosts: [] });
  onCleanup(httpClient.close);
  return guardedFetch(httpClient);
}

/** The answer, and when each part of the stream arrived. */
export async function ask(to: ModelConnection, more: Partial<ModelRequest> = {}) {
  const startedAt = performance.now();
  const received: { text: string; atMs: number }[] = [];
  const open = to.baseUrl ? [new URL(to.baseUrl).host] : [];
  const answer = await callModel(fetchTo(...open), to, { ...request, ...more }, (text) =>
    received.push({ text, atMs: performance.now() - startedAt }),
  );
  expect(received.map(({ text }) => text).join('')).toBe(answer.text);
  return { ...answer, received, tookMs: performance.now() - startedAt };
}

/** The reason of the failure. Asserts that the error leaks neither the prompt nor the API key. */
export async function modelFailure(asking: Promise<unknown>): Promise<string> {
  const error = await asking.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ModelFailed)) throw new Error(`it should have failed: ${String(error)}`);
  expect(error.cause).toBeUndefined();
  expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/sk-a-secret|xylophone|When do you open/);
  return error.reason;
}

/** A server that streams these events and records its requests. */
export async function aProvider(...events: object[]) {
  const requests: { url: string | undefined; headers: object; body: string }[] = [];
  const server = await aServer((incoming, response) => {
    void text(incoming).then((body) => {
      requests.push({ url: incoming.url, headers: incoming.headers, body });
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
      setTimeout(() => response.end(), 10); // like real providers, shortly after the last event
    });
  });
  return Object.assign(server, { url: `http://127.0.0.1:${server.port}/v1`, requests });
}
