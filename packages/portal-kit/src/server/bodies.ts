import { buffer } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Refusal } from './refusal.ts';

const maxBytes = 64 * 1_024;

/** Bodies come unread, since most are only handed on. */
export async function readJson<T>(request: FastifyRequest, shape: z.ZodType<T>): Promise<T> {
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? ''))
    throw new Refusal(400, 'json_expected', 'The request body must be JSON.');
  if (Number(request.headers['content-length'] ?? 0) > maxBytes)
    throw new Refusal(413, 'body_too_large', 'The request body is too large.');
  const bytes = await buffer(request.body as Readable);
  if (bytes.length > maxBytes) throw new Refusal(413, 'body_too_large', 'The request body is too large.');
  let json: unknown;
  try {
    json = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new Refusal(400, 'json_expected', 'The request body must be JSON.');
  }
  const read = shape.safeParse(json);
  if (!read.success) throw new Refusal(400, 'invalid_fields', z.prettifyError(read.error));
  return read.data;
}
