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

/** A fetch with these hosts open. */
export function fetchTo(...openHosts: string[]) {
  const httpClient = createSafeFetch({ openHosts, ownHosts: [] });
  onCleanup(httpClient.close);
  return guardedFetch(httpClient);
}

/** The response, with the arrival time of each chunk. */
export async function ask(to: ModelConnection, more: Partial<ModelRequest> = {}) {
  const startedAt = performance.now();
  const chunks: { text: string; atMs: number }[] = [];
  const open = to.baseUrl ? [new URL(to.baseUrl).host] : [];
  const response = await callModel(fetchTo(...open), to, { ...request, ...more }, (text) =>
    chunks.push({ text, atMs: performance.now() - startedAt }),
  );
  expect(chunks.map(({ text }) => text).join('')).toBe(response.text);
  return { ...response, chunks, tookMs: performance.now() - startedAt };
}

/** Asserts that the call fails without exposing the prompt or the key, and returns the reason. */
export async function modelFailure(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ModelFailed)) throw new Error(`it should have failed: ${String(error)}`);
  expect(error.cause).toBeUndefined();
  expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/sk-a-secret|xylophone|When do you open/);
  return error.reason;
}

/** A server that sends these events and records its requests. */
export async function aProvider(...events: object[]) {
  const requests: { url: string | undefined; headers: object; body: string }[] = [];
  const server = await aServer((request, response) => {
    void text(request).then((body) => {
      requests.push({ url: request.url, headers: request.headers, body });
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
      setTimeout(() => response.end(), 10); // shortly after the last event, like real providers
    });
  });
  return Object.assign(server, { url: `http://127.0.0.1:${server.port}/v1`, requests });
}
