import { createHash, createHmac } from 'node:crypto';
import type { KeyRequest } from './server.ts';

// Verifies AWS Signature Version 4, implemented from its documentation and independently of the library that signs, so that a
// bug in one is found by the other.

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

interface Scope {
  secretAccessKey: string;
  region: string;
  service: string;
}

export function signatureOf(
  { method, path, headers, body }: KeyRequest,
  signedHeaders: readonly string[],
  { secretAccessKey, region, service }: Scope,
): string {
  const [pathname = '', query = ''] = path.split('?');
  const date = String(headers['x-amz-date']);
  const day = date.slice(0, 8);
  const canonical = [
    method,
    pathname,
    query,
    ...signedHeaders.map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    signedHeaders.join(';'),
    sha256(body),
  ].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', date, `${day}/${region}/${service}/aws4_request`, sha256(canonical)].join('\n');
  const key = hmac(hmac(hmac(hmac(`AWS4${secretAccessKey}`, day), region), service), 'aws4_request');
  return hmac(key, toSign).toString('hex');
}

const header =
  /^AWS4-HMAC-SHA256 Credential=(?<id>\w+)\/(?<day>\d{8})\/(?<region>[\w-]+)\/(?<service>\w+)\/aws4_request, SignedHeaders=(?<names>[\w;-]+), Signature=(?<signature>[0-9a-f]{64})$/;

/** The error that AWS would return, or nothing. */
export function signatureProblem(
  request: KeyRequest,
  account: Scope & { accessKeyId: string; sessionToken?: string | undefined },
): string | undefined {
  const { groups } = header.exec(request.headers.authorization ?? '') ?? {};
  if (!groups) return 'IncompleteSignatureException';
  const { id, day, region, service, names = '', signature } = groups;
  if (id !== account.accessKeyId) return 'UnrecognizedClientException';
  const date = String(request.headers['x-amz-date']);
  const sent = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (!(Math.abs(Date.now() - sent) < 15 * 60_000) || !date.startsWith(day ?? '')) return 'InvalidSignatureException';
  if (region !== account.region || service !== account.service) return 'InvalidSignatureException';
  const signed = names.split(';');
  const needed = ['host', 'x-amz-date', 'x-amz-target', ...(account.sessionToken ? ['x-amz-security-token'] : [])];
  if (!needed.every((name) => signed.includes(name))) return 'IncompleteSignatureException';
  if (request.headers['x-amz-security-token'] !== account.sessionToken) return 'UnrecognizedClientException';
  return signature === signatureOf(request, signed, account) ? undefined : 'InvalidSignatureException';
}
