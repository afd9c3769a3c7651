import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { invalid } from '../errors.ts';

/** Bytes as they came, and what their sender says they are. */
export interface Upload {
  bytes: Buffer;
  mediaType: string;
}

export const uploadType = 'application/octet-stream';

/** For the document: bytes of any kind. What they are is for whoever reads them to find out. */
export const UploadBody = z.any().meta({ type: 'string', format: 'binary' });

/** Takes every media type, as bytes. Only for the routes of one scope: all others go on to refuse what is not JSON. */
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
