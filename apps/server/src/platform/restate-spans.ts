import { internal, type HooksProvider } from '@restatedev/restate-sdk';
import { inSpan, isTracing, traceparentOfSpan } from './spans.ts';

/**
 * A span for each attempt of a handler and for each of its steps, in the trace of the request that started it. Restate passes
 * the trace on only if its own tracing is enabled; otherwise it is in the original headers. A call from another handler has
 * neither, because headers would be part of the journal: what it does joins the trace that its row names.
 */
export const traced: HooksProvider = ({ request }) => {
  const { headers, attemptHeaders, target, id } = request;
  const header = attemptHeaders.get('traceparent') ?? headers.get('traceparent');
  if (!isTracing() || typeof header !== 'string') return {};
  const { service, handler, key } = target;
  const name = `${service}.${handler}`; // not with the key, which is an ID
  const tenantId = tenantIn(key);
  const attributes = {
    'restate.invocation.id': String(id),
    ...(tenantId !== undefined && { 'parley.tenant.id': tenantId }),
  };
  let attempt = header;
  return {
    interceptor: {
      handler: (next) =>
        inSpan(
          name,
          { parent: header, attributes },
          (span) => {
            attempt = traceparentOfSpan(span);
            return next();
          },
          errorTypeOf,
        ),
      // The SDK's own steps, such as reading the time, have no name.
      run: (step, next) => (step === '' ? next() : inSpan(`${name} ${step}`, { parent: attempt }, next, errorTypeOf)),
    },
  };
};

/** The keys of a tenant's objects start with its ID. */
export const tenantIn = (key: string | undefined): string | undefined => /^ten_[^/]+/.exec(key ?? '')?.[0];

/** An attempt that is suspended ends with an error that is none. */
const errorTypeOf = (error: unknown): string | undefined => {
  if (internal.isSuspendedError(error)) return undefined;
  return error instanceof Error ? error.name : 'unknown';
};
