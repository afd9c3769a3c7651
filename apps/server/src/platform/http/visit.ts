import type { FastifyReply, FastifyRequest } from 'fastify';
import type { From } from '../context.ts';
import type { Shown, Visit } from './route.ts';

export const fromOf = ({ ip, headers, id }: FastifyRequest): From => ({
  address: ip,
  userAgent: headers['user-agent'] ?? '',
  requestId: id,
});

export const visitOf = (request: FastifyRequest, reply: FastifyReply): Visit => ({
  ...fromOf(request),
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
