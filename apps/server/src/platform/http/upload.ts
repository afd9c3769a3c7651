import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { invalid } from '../errors.ts';

/** The bytes as received, and the media type that the client declared. */
export interface Upload {
  bytes: Buffer;
  mediaType: string;
}

export const uploadType = 'application/octet-stream';

/** Its request body in the OpenAPI document: bytes of any type. The handler detects the type. */
export const UploadBody = z.any().meta({ type: 'string', format: 'binary' });

/** Accepts every media type as bytes, for the routes of this scope only. All others accept JSON only. */
export function readBytes(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, ({ headers }, bytes, done) =>
    done(null, { bytes, mediaType: headers['content-type'] ?? uploadType } satisfies {
      bytes: unknown;
      mediaType: string;
    }),
  );
}

export function assertBytes(body: unknown): void {
  const { bytes } = (body ?? {}) as Partial<Upload>;
  if (!bytes?.length) throw invalid('body_missing', [{ path: '/', message: 'Send the file as the request body.' }]);
}
