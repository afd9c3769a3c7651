import type { ParleyEvent } from './events.ts';

export type HeadersLike = Headers | Record<string, string | string[] | undefined>;

export interface VerifyOptions {
  /** The raw body, as it came. */
  body: string | Uint8Array | ArrayBuffer;
  headers: HeadersLike;
  /** The endpoint's secret; the old one beside it while you replace it. */
  secrets: string | readonly string[];
  /** How far a clock may be off, either way. */
  toleranceSeconds?: number;
}

export type WebhookProblem = 'missing_header' | 'bad_signature' | 'stale' | 'bad_body' | 'header_mismatch';

const words: Record<WebhookProblem, string> = {
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
    super(words[reason]);
    this.reason = reason;
  }
}

const encoder = new TextEncoder();

/** The event, and which secret it was signed with. Nothing of the body is looked at before its signature has matched. */
export async function verify(options: VerifyOptions): Promise<{ event: ParleyEvent; secret: string }> {
  const { headers, toleranceSeconds = 300 } = options;
  const secrets = [options.secrets].flat().filter(Boolean);
  if (secrets.length === 0) throw new TypeError('verifyWebhook: no secret given');
  const body = bytesOf(options.body);
  const header = readerOf(headers);
  const claim = ours(header) ?? standard(header);
  if (!claim) throw new WebhookVerificationError('missing_header');
  const secret = await signerOf(claim, secrets, body);
  if (secret === undefined) throw new WebhookVerificationError('bad_signature');
  if (Math.abs(Date.now() / 1_000 - Number(claim.timestamp)) > toleranceSeconds)
    throw new WebhookVerificationError('stale');
  const event = eventIn(body);
  if (!event) throw new WebhookVerificationError('bad_body');
  if (contradicts(header, event)) throw new WebhookVerificationError('header_mismatch');
  return { event, secret };
}

/** What is claimed in the headers, in either of the two families. */
interface Claim {
  timestamp: string;
  /** What is signed before the body. */
  prefix: string;
  signatures: Uint8Array<ArrayBuffer>[];
  keyOf(secret: string): Uint8Array<ArrayBuffer> | undefined;
}
type ReadHeader = (name: string) => string | undefined;

/** At most this many are compared, so that a long header costs nobody anything. */
const maxSignatures = 4;

function ours(header: ReadHeader): Claim | undefined {
  const [timestamp, signature] = [header('x-service-timestamp'), header('x-service-signature')];
  if (!timestamp || !signature) return undefined;
  return {
    timestamp,
    prefix: `${timestamp}.`,
    signatures: listOf(signature, ',', 'v1=').map(hexBytes).filter(isThere),
    keyOf: (secret) => encoder.encode(secret),
  };
}

/** Standard Webhooks: the id is signed as well, and the key is what the secret encodes. */
function standard(header: ReadHeader): Claim | undefined {
  const [id, timestamp] = [header('webhook-id'), header('webhook-timestamp')];
  const signature = header('webhook-signature');
  if (!id || !timestamp || !signature) return undefined;
  return {
    timestamp,
    prefix: `${id}.${timestamp}.`,
    signatures: listOf(signature, ' ', 'v1,').map(base64Bytes).filter(isThere),
    keyOf: (secret) => base64Bytes(secret.replace(/^whsec_/, '')),
  };
}

const listOf = (header: string, between: string, scheme: string) =>
  header
    .split(between)
    .slice(0, maxSignatures)
    .filter((one) => one.startsWith(scheme))
    .map((one) => one.slice(scheme.length));

/** The platform compares, in constant time; all are compared, so that how long it takes does not say which one it was. */
async function signerOf({ timestamp, prefix, signatures, keyOf }: Claim, secrets: string[], body: Uint8Array) {
  // Only digits: else a part of the body could pass for a part of the time.
  if (!/^[1-9]\d{9,10}$/.test(timestamp)) return undefined;
  const head = encoder.encode(prefix);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  const matches = await Promise.all(
    secrets.map(async (secret) => {
      const bytes = keyOf(secret);
      if (!bytes) return false;
      const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
      const all = await Promise.all(signatures.map((one) => crypto.subtle.verify('HMAC', key, one, signed)));
      return all.includes(true);
    }),
  );
  return secrets.find((_secret, at) => matches[at]);
}

function eventIn(body: Uint8Array): ParleyEvent | undefined {
  try {
    const value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as Partial<ParleyEvent> | null;
    const isEvent =
      typeof value?.id === 'string' && typeof value.type === 'string' && typeof value.tenantId === 'string';
    return isEvent ? (value as ParleyEvent) : undefined;
  } catch {
    return undefined;
  }
}

/** Headers are not signed, the body is. Who reads only the body needs none of them, so one may be absent. */
function contradicts(header: ReadHeader, event: ParleyEvent): boolean {
  const pairs = [
    ['idempotency-key', event.id],
    ['webhook-id', event.id],
    ['x-service-tenant-id', event.tenantId],
    ['x-service-environment-id', event.environmentId],
    ['x-service-action-id', event.actionId],
    ['x-service-event', event.type],
  ] as const;
  // Null where an event concerns no environment: the header names the endpoint's then.
  return pairs.some(([name, value]) => value !== null && (header(name) ?? value) !== value);
}

// Told by what they can do, and not by their class: a test or an edge runtime may have classes of its own.
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

const isThere = <T>(value: T | undefined): value is T => value !== undefined;

const hexBytes = (text: string) =>
  /^[\da-f]{64}$/.test(text) ? Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16)) : undefined;

function base64Bytes(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
