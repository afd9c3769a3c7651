import type { FastifyReply, FastifyRequest } from 'fastify';
import type { From } from '../context.ts';
import { rateHeaders } from '../rate-limit.ts';
import type { Shown, Visit } from './route.ts';

export const fromOf = ({ ip, headers, id }: FastifyRequest, reply: FastifyReply): From => ({
  address: ip,
  userAgent: headers['user-agent'] ?? '',
  requestId: id,
  ...(headers.origin !== undefined && { origin: headers.origin }),
  answerEarly: () => void reply.code(202),
  noteRate: (state) => void reply.headers(rateHeaders(state)),
  wantsStream: headers.accept?.includes('text/event-stream') ?? false,
});

export const visitOf = (request: FastifyRequest, reply: FastifyReply): Visit => ({
  ...fromOf(request, reply),
  request: request.raw,
  response: reply.raw,
});

/** A page, or the way to another one. */
export function show(reply: FastifyReply, { status, html, location, headers = {} }: Shown) {
  reply.headers(headers);
  if (location !== undefined)
    return reply.code(303).header('cache-control', 'no-store').header('location', location).send();
  return reply
    .code(status ?? 200)
    .type('text/html; charset=utf-8')
    .send(html);
}
