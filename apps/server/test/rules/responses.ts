import { statusOf, type Code } from '../../src/platform/errors.ts';
import type { Response } from '../harness.ts';
import { schemaMismatch, type Operation } from '../openapi-walk.ts';

/** Returns how this response differs from what the document, or the kind of route, promises; undefined if it does not. */
export function findViolation(operation: Operation, response: Response): string | undefined {
  if (!response.headers['x-request-id']) return 'has no X-Request-Id';
  if (operation.format === 'html') return pageViolation(operation, response);
  if (operation.format === 'oidc') return oidcViolation(response);
  if (operation.isCacheable) {
    const wrong = cachingViolation(response);
    if (wrong !== undefined || response.statusCode === 304) return wrong;
    if (operation.returnsFile && response.statusCode === 200) return undefined;
  }
  if (String(response.headers['content-type']).startsWith('text/event-stream'))
    return streamViolation(operation, response);
  return jsonViolation(operation, response);
}

/** Complete events, or the start of one: the reader may have disconnected in the middle. */
function streamViolation({ streams }: Operation, { statusCode: status, headers, body }: Response): string | undefined {
  if (!streams || status !== 200) return `returned ${status} with a stream`;
  if (headers['cache-control'] !== 'no-store') return 'is a stream that may be cached';
  const lines = body.split('\n').slice(0, -1);
  const wrong = lines.find((line) => !/^(?:id: \d+|event: [a-z.]+|data: \{.*\}|:|)$/.test(line));
  return wrong === undefined ? undefined : `streams the line ${wrong.slice(0, 80)}`;
}

/** Cacheable responses need a max-age, an ETag and Vary; errors must not be cached. */
function cachingViolation({ statusCode: status, headers, body }: Response): string | undefined {
  const cacheControl = String(headers['cache-control']);
  if (status >= 400)
    return cacheControl === 'no-store' || isEarly(headers) ? undefined : `is an error with ${cacheControl}`;
  if (!/^public, max-age=\d+(, stale-while-revalidate=\d+|, immutable)$/.test(cacheControl))
    return `has cache-control: ${cacheControl}`;
  if (!/^"[\w-]+"$/.test(String(headers['etag'])) || !headers['vary']) return 'is cacheable without ETag and Vary';
  return status === 304 && body !== '' ? 'is a 304 with a body' : undefined;
}
/** Refused before routing, as any malformed request is: no Cache-Control is set. */
const isEarly = (headers: Response['headers']) => headers['cache-control'] === undefined;

function jsonViolation(operation: Operation, response: Response): string | undefined {
  const { statusCode: status } = response;
  const schema = schemaFor(operation, status);
  if (!schema) return `returned ${status}, which the document does not list`;
  const body = parse(response.body);
  const wrong = schemaMismatch(schema, body);
  if (wrong !== undefined) return `${status} does not match its schema: ${wrong}`;
  return status < 400 ? undefined : errorBodyViolation(response, body);
}

const schemaFor = ({ responses }: Operation, status: number) =>
  responses[status] ?? responses[`${Math.floor(status / 100)}XX`];

interface ErrorBody {
  error?: { code?: Code; reason?: string; requestId?: string };
}

function errorBodyViolation({ statusCode: status, headers }: Response, body: unknown): string | undefined {
  const { error } = (body ?? {}) as ErrorBody;
  if (!error?.code) return `returned ${status} without an error object`;
  if (error.requestId !== headers['x-request-id']) return 'has a request id in the body that differs from X-Request-Id';
  return statusOf[error.code] === status ? undefined : `returned ${status} with the code ${error.code}`;
}

/** Refused before routing: there is no page to show. */
const beforeRouting = ['invalid_url', 'route_not_found'];

function pageViolation(operation: Operation, response: Response): string | undefined {
  const { statusCode: status, headers } = response;
  if (status === 303) return headers.location ? undefined : 'is a redirect without a location';
  if (isJson(response)) return earlyErrorViolation(response);
  if (!schemaFor(operation, status)) return `returned ${status}, which the document does not list`;
  return htmlViolation(response, operation.id === 'showWidgetFrame' ? frameHeaders : pageHeaders);
}

/** The headers of every page, error pages included. */
const pageHeaders: Record<string, RegExp> = {
  'content-type': /^text\/html; charset=utf-8$/,
  'content-security-policy':
    /^default-src 'none'; style-src 'sha256-[^']+'; (script-src 'sha256-[^']+'; )?img-src data:; form-action 'self'.*; base-uri 'none'; frame-ancestors 'none'$/,
  'cache-control': /^no-store$/,
  'referrer-policy': /^same-origin$/,
  'x-frame-options': /^DENY$/,
  'x-content-type-options': /^nosniff$/,
  'cross-origin-opener-policy': /^same-origin$/,
};

/** The self-submitting form of the OIDC library, with its own script: nothing else may load or frame it. */
const libraryHeaders: Record<string, RegExp> = {
  'content-type': /^text\/html; charset=utf-8$/,
  'content-security-policy':
    /^default-src 'none';script-src 'none' 'sha256-[^']+';base-uri 'none';frame-ancestors 'none'$/,
  'cache-control': /^no-store$/,
  'referrer-policy': /^same-origin$/,
  'x-frame-options': /^DENY$/,
  'x-content-type-options': /^nosniff$/,
};
const isLibraryForm = ({ body }: Response) => body.includes('<title>Submitting Callback</title>');

/** The widget's frame: embedded in customers' pages, with a single script. */
const frameHeaders: Record<string, RegExp> = {
  'content-type': /^text\/html; charset=utf-8$/,
  'content-security-policy':
    /^default-src 'none'; (script-src \S+; connect-src [^;']+; img-src \S+ data:; style-src 'none'; )?base-uri 'none'; form-action 'none'(; require-trusted-types-for 'script'; trusted-types 'none'; frame-ancestors [^;]+)?$/,
  'cache-control': /^(public, max-age=60|no-store)$/,
  'referrer-policy': /^no-referrer$/,
  'cross-origin-resource-policy': /^cross-origin$/,
  'x-content-type-options': /^nosniff$/,
};

function htmlViolation({ headers, body }: Response, expected = pageHeaders): string | undefined {
  for (const [name, pattern] of Object.entries(expected))
    if (!pattern.test(String(headers[name]))) return `has the header ${name}: ${String(headers[name])}`;
  return /^<!doctype html>/i.test(body) && /<\/html>\s*$/.test(body) ? undefined : 'is not a complete page';
}

/** Tokens and their errors as JSON, as OAuth specifies; pages for people; redirects. */
function oidcViolation(response: Response): string | undefined {
  const { statusCode: status, headers, body } = response;
  if (status >= 300 && status < 400) return headers.location ? undefined : 'is a redirect without a location';
  if (String(headers['content-type']).startsWith('text/html'))
    return htmlViolation(response, isLibraryForm(response) ? libraryHeaders : pageHeaders);
  if (status === 200 && body === '') return undefined; // as RFC 7009 specifies
  if (!isJson(response)) return `returned ${status} as ${String(headers['content-type'])}`;
  if (status < 400) return undefined;
  const { error } = (parse(body) ?? {}) as { error?: unknown };
  if (typeof error === 'string') return /^[a-z_]+$/.test(error) ? undefined : `has the error ${error}`;
  return earlyErrorViolation(response);
}

const isJson = ({ headers }: Response) => /^application\/([\w-]+\+)?json\b/.test(String(headers['content-type']));

function earlyErrorViolation(response: Response): string | undefined {
  const body = parse(response.body) as ErrorBody | undefined;
  const reason = body?.error?.reason ?? '';
  return beforeRouting.includes(reason)
    ? errorBodyViolation(response, body)
    : `returned ${response.statusCode} ${reason} as JSON`;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
