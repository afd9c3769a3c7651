import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { isKept } from './caching.ts';

/** A file that lies in memory, with every form there is of it: the smallest first, and last the plain one. */
export interface ServedFile {
  mediaType: string;
  cacheControl: string;
  forms: readonly FileForm[];
}
export interface FileForm {
  encoding: 'br' | 'gzip' | null;
  bytes: Buffer;
  etag: string;
}

/** For the document: bytes, as they are. */
export const FileBytes = {
  description: 'The file, compressed as `Accept-Encoding` allows.',
  content: { '*/*': { schema: z.any().meta({ type: 'string', format: 'binary' }) } },
};

export function sendFile(file: ServedFile, { headers }: FastifyRequest, reply: FastifyReply) {
  const taken = headers['accept-encoding'] ?? '';
  const form = file.forms.find(({ encoding }) => encoding === null || isTaken(taken, encoding));
  if (!form) throw new Error('a file without an uncompressed form');
  const { encoding, bytes, etag } = form;
  reply.headers({ 'cache-control': file.cacheControl, vary: 'accept-encoding', etag });
  if (isKept(headers['if-none-match'], etag)) return reply.code(304).send();
  if (encoding !== null) reply.header('content-encoding', encoding);
  return reply.type(file.mediaType).send(bytes);
}

/** Named, and not with a weight of nothing. */
const isTaken = (header: string, encoding: string) =>
  header.split(',').some((one) => {
    const [name = '', weight = ''] = one.split(';');
    return name.trim().toLowerCase() === encoding && !/^\s*q=0(\.0*)?\s*$/i.test(weight);
  });
