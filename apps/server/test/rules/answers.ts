import { statusOf, type Code } from '../../src/platform/errors.ts';
import type { Response } from '../harness.ts';
import { schemaMismatch, type Operation } from '../openapi-walk.ts';

/** Says what of this answer the document, or the kind of route, does not promise; nothing when it keeps to it. */
export function broken(operation: Operation, response: Response): string | undefined {
  if (!response.headers['x-request-id']) return 'has no X-Request-Id';
  if (operation.format === 'html') return brokenPage(operation, response);
  if (operation.format === 'oidc') return brokenOidc(response);
  if (operation.isCacheable) {
    const wrong = brokenKeeping(response);
    if (wrong !== undefined || response.statusCode === 304) return wrong;
    if (operation.returnsFile && response.statusCode === 200) return undefined;
  }
  if (String(response.headers['content-type']).startsWith('text/event-stream'))
    return brokenStream(operation, response);
  return brokenJson(operation, response);
}

/** Whole events, or the beginning of one: whoever reads may have hung up in the middle. */
function brokenStream({ streams }: Operation, { statusCode: status, headers, body }: Response): string | undefined {
  if (!streams || status !== 200) return `answers ${status} with a stream`;
  if (headers['cache-control'] !== 'no-store') return 'is a stream that may be kept';
  const lines = body.split('\n').slice(0, -1);
  const wrong = lines.find((line) => !/^(?:id: \d+|event: [a-z.]+|data: \{.*\}|:|)$/.test(line));
  return wrong === undefined ? undefined : `streams the line ${wrong.slice(0, 80)}`;
}

/** What may be kept says for how long, and by what it is known again; a refusal is never kept. */
function brokenKeeping({ statusCode: status, headers, body }: Response): string | undefined {
  const kept = String(headers['cache-control']);
  if (status >= 400) return kept === 'no-store' || isEarly(headers) ? undefined : `is a refusal with ${kept}`;
  if (!/^public, max-age=\d+(, stale-while-revalidate=\d+|, immutable)$/.test(kept)) return `may be kept: ${kept}`;
  if (!/^"[\w-]+"$/.test(String(headers['etag'])) || !headers['vary']) return 'is kept without ETag and Vary';
  return status === 304 && body !== '' ? 'is a 304 with a body' : undefined;
}
/** Refused before we knew what was asked for: no word of ours on keeping it, as on any broken request. */
const isEarly = (headers: Response['headers']) => headers['cache-control'] === undefined;

function brokenJson(operation: Operation, response: Response): string | undefined {
  const { statusCode: status } = response;
  const schema = schemaFor(operation, status);
  if (!schema) return `answers ${status}, which the document does not name`;
  const body = parse(response.body);
  const wrong = schemaMismatch(schema, body);
  if (wrong !== undefined) return `${status} does not fit its schema: ${wrong}`;
  return status < 400 ? undefined : brokenError(response, body);
}

const schemaFor = ({ responses }: Operation, status: number) =>
  responses[status] ?? responses[`${Math.floor(status / 100)}XX`];

interface OurError {
  error?: { code?: Code; reason?: string; requestId?: string };
}

function brokenError({ statusCode: status, headers }: Response, body: unknown): string | undefined {
  const { error } = (body ?? {}) as OurError;
  if (!error?.code) return `answers ${status} without an error of ours`;
  if (error.requestId !== headers['x-request-id']) return 'names another request in the body than in X-Request-Id';
  return statusOf[error.code] === status ? undefined : `answers ${status} with the code ${error.code}`;
}

/** Refused before any route was found: there is no page to show. */
const beforeAnyRoute = ['invalid_url', 'route_not_found'];

function brokenPage(operation: Operation, response: Response): string | undefined {
  const { statusCode: status, headers } = response;
  if (status === 303) return headers.location ? undefined : 'sends the browser on to nowhere';
  if (isJson(response)) return brokenEarly(response);
  if (!schemaFor(operation, status)) return `answers ${status}, which the document does not name`;
  return brokenHtml(response, operation.id === 'showWidgetFrame' ? frameHeaders : pageHeaders);
}

/** What every page is sent with, also one that tells of an error. */
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

/** The form that the OIDC library sends by itself, with its own script: nothing else may load or frame it. */
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

/** The widget's frame: shown within the pages of others, with one script of ours. */
const frameHeaders: Record<string, RegExp> = {
  'content-type': /^text\/html; charset=utf-8$/,
  'content-security-policy':
    /^default-src 'none'; (script-src \S+; connect-src [^;']+; img-src \S+ data:; style-src 'none'; )?base-uri 'none'; form-action 'none'(; require-trusted-types-for 'script'; trusted-types 'none'; frame-ancestors [^;]+)?$/,
  'cache-control': /^(public, max-age=60|no-store)$/,
  'referrer-policy': /^no-referrer$/,
  'cross-origin-resource-policy': /^cross-origin$/,
  'x-content-type-options': /^nosniff$/,
};

function brokenHtml({ headers, body }: Response, due = pageHeaders): string | undefined {
  for (const [name, wanted] of Object.entries(due))
    if (!wanted.test(String(headers[name]))) return `has the header ${name}: ${String(headers[name])}`;
  return /^<!doctype html>/i.test(body) && /<\/html>\s*$/.test(body) ? undefined : 'is no whole page';
}

/** Tokens and their errors in JSON, as OAuth's documents say; pages for people; redirects. */
function brokenOidc(response: Response): string | undefined {
  const { statusCode: status, headers, body } = response;
  if (status >= 300 && status < 400) return headers.location ? undefined : 'sends the browser on to nowhere';
  if (String(headers['content-type']).startsWith('text/html'))
    return brokenHtml(response, isLibraryForm(response) ? libraryHeaders : pageHeaders);
  if (status === 200 && body === '') return undefined; // what RFC 7009 answers
  if (!isJson(response)) return `answers ${status} as ${String(headers['content-type'])}`;
  if (status < 400) return undefined;
  const { error } = (parse(body) ?? {}) as { error?: unknown };
  if (typeof error === 'string') return /^[a-z_]+$/.test(error) ? undefined : `has the error ${error}`;
  return brokenEarly(response);
}

const isJson = ({ headers }: Response) => /^application\/([\w-]+\+)?json\b/.test(String(headers['content-type']));

function brokenEarly(response: Response): string | undefined {
  const body = parse(response.body) as OurError | undefined;
  const reason = body?.error?.reason ?? '';
  return beforeAnyRoute.includes(reason)
    ? brokenError(response, body)
    : `answers ${response.statusCode} ${reason} as JSON`;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
