import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { matchesEtag } from './caching.ts';

/** A file in memory with all its encodings, the smallest first and the uncompressed one last. */
export interface ServedFile {
  mediaType: string;
  cacheControl: string;
  variants: readonly FileVariant[];
}
export interface FileVariant {
  encoding: 'br' | 'gzip' | null;
  bytes: Buffer;
  etag: string;
}

/** Its response in the OpenAPI document. */
export const FileBytes = {
  description: 'The file, compressed as `Accept-Encoding` allows.',
  content: { '*/*': { schema: z.any().meta({ type: 'string', format: 'binary' }) } },
};

export function sendFile(file: ServedFile, { headers }: FastifyRequest, reply: FastifyReply) {
  const accepted = headers['accept-encoding'] ?? '';
  const variant = file.variants.find(({ encoding }) => encoding === null || acceptsEncoding(accepted, encoding));
  if (!variant) throw new Error('a file without an uncompressed variant');
  const { encoding, bytes, etag } = variant;
  reply.headers({ 'cache-control': file.cacheControl, vary: 'accept-encoding', etag });
  if (matchesEtag(headers['if-none-match'], etag)) return reply.code(304).send();
  if (encoding !== null) reply.header('content-encoding', encoding);
  return reply.type(file.mediaType).send(bytes);
}

/** Listed in Accept-Encoding, and not with `q=0`. */
const acceptsEncoding = (header: string, encoding: string) =>
  header.split(',').some((one) => {
    const [name = '', weight = ''] = one.split(';');
    return name.trim().toLowerCase() === encoding && !/^\s*q=0(\.0*)?\s*$/i.test(weight);
  });
