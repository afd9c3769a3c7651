/** The input of an operation, as the generated types describe it. */
export interface OperationInput {
  path?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** Replaces `fetch`. */
export type Send = (url: string, init: RequestInit) => Promise<Response>;

/** Fills in the parameters of a path and adds the query. */
export function urlOf(path: string, { path: values = {}, query = {} }: OperationInput): string {
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => {
    const value = values[name] ?? '';
    // Dot segments would change the path, even when encoded.
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`'${value}' is not a valid ${name}`);
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams(
    Object.entries(query)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return search === '' ? filled : `${filled}?${search}`;
}

/** A body as it is sent: files unchanged, everything else as JSON. */
export const contentOf = (body: unknown): string | Blob | undefined =>
  body === undefined || body instanceof Blob ? body : JSON.stringify(body);

interface HttpRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  content: string | Blob | undefined;
  signal?: AbortSignal;
}

/** Sends one request and reads the response. `body` is undefined if it isn't JSON, for example from a proxy. */
export async function exchange({ method, url, headers, content, signal }: HttpRequest, send: Send = fetch) {
  const type = { 'content-type': content instanceof Blob ? 'application/octet-stream' : 'application/json' };
  const response = await send(url, {
    method,
    headers: { ...headers, ...(content !== undefined && type) },
    ...(content !== undefined && { body: content }),
    redirect: 'manual', // never send credentials to another URL
    ...(signal && { signal }),
  });
  return { response, body: parseJson(await response.text()) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
