import type { ParleyEvent } from './events.ts';

export type HeadersLike = Headers | Record<string, string | string[] | undefined>;

export interface VerifyOptions {
  /** The raw request body. */
  body: string | Uint8Array | ArrayBuffer;
  headers: HeadersLike;
  /** The endpoint's secret, or several during a rotation. */
  secrets: string | readonly string[];
  /** Allowed clock difference, in either direction. Defaults to 300. */
  toleranceSeconds?: number;
}

export type WebhookProblem = 'missing_header' | 'bad_signature' | 'stale' | 'bad_body' | 'header_mismatch';

const messages: Record<WebhookProblem, string> = {
  missing_header:
    'The signature or timestamp header is missing: the request is not from Parley, or a proxy removed its headers.',
  bad_signature:
    'The signature matches none of your secrets: the secret is wrong, or the body was changed before it was verified.',
  stale: 'The timestamp is too old or in the future: the request was replayed, or a clock is wrong.',
  bad_body: 'The signature is valid, but the body is not an event.',
  header_mismatch: 'A header contradicts the signed body: it was changed in transit.',
};

export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly reason: WebhookProblem;

  constructor(reason: WebhookProblem) {
    super(messages[reason]);
    this.reason = reason;
  }
}

const encoder = new TextEncoder();

/** Returns the event and the secret it was signed with. The body is not parsed before its signature has matched. */
export async function verify(options: VerifyOptions): Promise<{ event: ParleyEvent; secret: string }> {
  const { headers, toleranceSeconds = 300 } = options;
  const secrets = [options.secrets].flat().filter(Boolean);
  if (secrets.length === 0) throw new TypeError('verifyWebhook: no secret given');
  const body = bytesOf(options.body);
  const header = readerOf(headers);
  const signed = parleySignature(header) ?? standardSignature(header);
  if (!signed) throw new WebhookVerificationError('missing_header');
  const secret = await matchingSecret(signed, secrets, body);
  if (secret === undefined) throw new WebhookVerificationError('bad_signature');
  if (Math.abs(Date.now() / 1_000 - Number(signed.timestamp)) > toleranceSeconds)
    throw new WebhookVerificationError('stale');
  const event = parseEvent(body);
  if (!event) throw new WebhookVerificationError('bad_body');
  if (hasHeaderMismatch(header, event)) throw new WebhookVerificationError('header_mismatch');
  return { event, secret };
}

/** What the signature headers say, in either of the two schemes. */
interface SignatureHeaders {
  timestamp: string;
  /** What precedes the body in the signed content. */
  prefix: string;
  signatures: Uint8Array<ArrayBuffer>[];
  /** The HMAC key of a secret; undefined if the secret isn't valid in this scheme. */
  keyOf(secret: string): Uint8Array<ArrayBuffer> | undefined;
}
type ReadHeader = (name: string) => string | undefined;

/** Limits the cost of a long header. */
const maxSignatures = 4;

/** `X-Service-*`: the key is the secret as text. */
function parleySignature(header: ReadHeader): SignatureHeaders | undefined {
  const [timestamp, signature] = [header('x-service-timestamp'), header('x-service-signature')];
  if (!timestamp || !signature) return undefined;
  return {
    timestamp,
    prefix: `${timestamp}.`,
    signatures: signaturesIn(signature, ',', 'v1=').map(hexBytes).filter(isDefined),
    keyOf: (secret) => encoder.encode(secret),
  };
}

/** Standard Webhooks: the id is signed as well, and the key is the decoded secret. */
function standardSignature(header: ReadHeader): SignatureHeaders | undefined {
  const [id, timestamp] = [header('webhook-id'), header('webhook-timestamp')];
  const signature = header('webhook-signature');
  if (!id || !timestamp || !signature) return undefined;
  return {
    timestamp,
    prefix: `${id}.${timestamp}.`,
    signatures: signaturesIn(signature, ' ', 'v1,').map(base64Bytes).filter(isDefined),
    keyOf: (secret) => base64Bytes(secret.replace(/^whsec_/, '')),
  };
}

/** The signatures of one scheme; others may be added later. */
const signaturesIn = (header: string, separator: string, scheme: string) =>
  header
    .split(separator)
    .slice(0, maxSignatures)
    .filter((signature) => signature.startsWith(scheme))
    .map((signature) => signature.slice(scheme.length));

/** Compares all signatures in constant time, so that the duration doesn't reveal which one matched. */
async function matchingSecret(
  { timestamp, prefix, signatures, keyOf }: SignatureHeaders,
  secrets: string[],
  body: Uint8Array,
): Promise<string | undefined> {
  // Digits only: otherwise part of the body could be moved into the timestamp.
  if (!/^[1-9]\d{9,10}$/.test(timestamp)) return undefined;
  const prefixBytes = encoder.encode(prefix);
  const content = new Uint8Array(prefixBytes.length + body.length);
  content.set(prefixBytes);
  content.set(body, prefixBytes.length);
  const matches = await Promise.all(
    secrets.map(async (secret) => {
      const keyBytes = keyOf(secret);
      if (!keyBytes) return false;
      const key = await crypto.subtle.importKey('raw', keyBytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
      const results = await Promise.all(
        signatures.map((signature) => crypto.subtle.verify('HMAC', key, signature, content)),
      );
      return results.includes(true);
    }),
  );
  return secrets.find((_secret, index) => matches[index]);
}

function parseEvent(body: Uint8Array): ParleyEvent | undefined {
  try {
    const value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as Partial<ParleyEvent> | null;
    const isEvent =
      typeof value?.id === 'string' && typeof value.type === 'string' && typeof value.tenantId === 'string';
    return isEvent ? (value as ParleyEvent) : undefined;
  } catch {
    return undefined;
  }
}

/** Headers are not signed, so they must match the signed body. Missing headers are fine. */
function hasHeaderMismatch(header: ReadHeader, event: ParleyEvent): boolean {
  const pairs = [
    ['idempotency-key', event.id],
    ['webhook-id', event.id],
    ['x-service-tenant-id', event.tenantId],
    ['x-service-environment-id', event.environmentId],
    ['x-service-action-id', event.actionId],
    ['x-service-event', event.type],
  ] as const;
  // Events without an environment are sent with the environment of the endpoint in the header.
  return pairs.some(([name, value]) => value !== null && (header(name) ?? value) !== value);
}

// Duck typing instead of instanceof: edge runtimes and test environments can have their own classes.
function bytesOf(body: VerifyOptions['body']): Uint8Array {
  if (typeof body === 'string') return encoder.encode(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  if (Object.prototype.toString.call(body) === '[object ArrayBuffer]') return new Uint8Array(body);
  throw new TypeError('verifyWebhook: pass the raw body (string or bytes), not the parsed one');
}

const isHeaders = (headers: HeadersLike): headers is Headers => typeof headers.get === 'function';

function readerOf(headers: HeadersLike): ReadHeader {
  if (isHeaders(headers)) return (name) => headers.get(name) ?? undefined;
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => {
    const value = lower.get(name);
    return Array.isArray(value) ? value.join(',') : value;
  };
}

const isDefined = <T>(value: T | undefined): value is T => value !== undefined;

const hexBytes = (text: string) =>
  /^[\da-f]{64}$/.test(text) ? Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16)) : undefined;

function base64Bytes(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
