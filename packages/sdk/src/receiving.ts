import type { Actions } from './actions.ts';
import type { WebhookEvent } from './events.ts';
import { hex } from './hex.ts';
import { verify, WebhookVerificationError, type HeadersLike, type VerifyOptions } from './verify.ts';

export interface ReceiverOptions extends Pick<VerifyOptions, 'secrets' | 'toleranceSeconds'> {
  /** Called for each event. If it throws, the response is 500 and the event is retried. */
  onEvent?: (event: WebhookEvent) => unknown;
  /** Created by `actionHandler`. */
  actions?: Actions;
  /** Called with errors thrown by your handlers. Defaults to `console.error`. */
  onError?: (error: unknown) => void;
}

export interface ReceiverResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export const isBytes = (value: unknown): value is Uint8Array => ArrayBuffer.isView(value);

/** Four times the largest request of the service. Longer bodies are not read to the end. */
const maxBytes = 1024 * 1024;

export async function readBody(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array | undefined> {
  const received: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > maxBytes) return undefined;
    received.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of received) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

/** Verifies a request, calls the event or action handler, and returns the response. */
export async function receive(
  { secrets, toleranceSeconds, onEvent, actions, onError = console.error }: ReceiverOptions,
  { body, headers: requestHeaders }: { body: VerifyOptions['body'] | undefined; headers: HeadersLike },
): Promise<ReceiverResponse> {
  if (body === undefined) return respond(413, { reason: 'too_large' });
  let verified;
  try {
    verified = await verify({
      body,
      headers: requestHeaders,
      secrets,
      ...(toleranceSeconds !== undefined && { toleranceSeconds }),
    });
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return respond(error.reason === 'bad_body' ? 400 : 401, { reason: error.reason, message: error.message });
  }
  const { event, secret } = verified;
  // Tells the service which secret is in use, so that it can show when the old one is no longer needed.
  const headers = { 'x-service-verified-key': await fingerprint(secret) };
  try {
    if (event.type === 'action.invoke' || event.type === 'action.status') {
      if (!actions)
        return respond(404, { error: { code: 'no_actions', message: 'No action handlers are configured.' } }, headers);
      const result = await actions(event);
      return respond(result.status, result.body, headers);
    }
    await onEvent?.(event);
    return respond(200, {}, headers);
  } catch (error) {
    onError(error);
    return respond(500, {}, headers);
  }
}

const respond = (status: number, body: object, headers: Record<string, string> = {}): ReceiverResponse => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

const fingerprint = async (secret: string): Promise<string> =>
  hex(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret))).slice(0, 8);
