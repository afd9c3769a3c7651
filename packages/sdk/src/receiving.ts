import type { Actions } from './actions.ts';
import type { HappenedEvent } from './events.ts';
import { hex } from './hex.ts';
import { verify, WebhookVerificationError, type HeadersLike, type VerifyOptions } from './verify.ts';

export interface ReceiverOptions extends Pick<VerifyOptions, 'secrets' | 'toleranceSeconds'> {
  /** Called for each event. What it throws is answered with 500, and the event comes again. */
  onEvent?: (event: HappenedEvent) => unknown;
  /** What `actionHandler` made. */
  actions?: Actions;
  /** Told of what went wrong here. The console, unless you say otherwise. */
  onError?: (error: unknown) => void;
}

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export const isBytes = (value: unknown): value is Uint8Array => ArrayBuffer.isView(value);

/** Four times the largest call. What is longer is nobody's we know, and is not read to its end. */
const maxBytes = 1024 * 1024;

export async function wholeOf(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of chunks) {
    length += part.length;
    if (length > maxBytes) return undefined;
    parts.push(part);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Takes one call: verifies it, hands it to whom it concerns, and says what to answer. */
export async function receive(
  { secrets, toleranceSeconds, onEvent, actions, onError = console.error }: ReceiverOptions,
  { body, headers: given }: { body: VerifyOptions['body'] | undefined; headers: HeadersLike },
): Promise<Answer> {
  if (body === undefined) return answer(413, { reason: 'too_large' });
  let verified;
  try {
    verified = await verify({
      body,
      headers: given,
      secrets,
      ...(toleranceSeconds !== undefined && { toleranceSeconds }),
    });
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return answer(error.reason === 'bad_body' ? 400 : 401, { reason: error.reason, message: error.message });
  }
  const { event, secret } = verified;
  // Shows the service which secret is in use here, so that it can say when the old one is no longer needed.
  const headers = { 'x-service-verified-key': await fingerprint(secret) };
  try {
    if (event.type === 'action.invoke' || event.type === 'action.status') {
      if (!actions)
        return answer(404, { error: { code: 'no_actions', message: 'No action handlers are configured.' } }, headers);
      const answered = await actions(event);
      return answer(answered.status, answered.body, headers);
    }
    await onEvent?.(event);
    return answer(200, {}, headers);
  } catch (error) {
    onError(error);
    return answer(500, {}, headers);
  }
}

const answer = (status: number, body: object, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

const fingerprint = async (secret: string): Promise<string> =>
  hex(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret))).slice(0, 8);
