import { createService, type ServiceError } from '../service/client.ts';

/** The API client for pages. It calls the portal server, which adds the access token. */
export const api = createService({ baseUrl: '/api', headers: { 'x-requested-with': 'portal' } });

/** An API error. */
export class Problem extends Error {
  readonly code: string;
  readonly reason: string;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly details: { path: string; message: string }[];

  constructor(status: number, error: Partial<ServiceError>) {
    super(error.message ?? 'Something went wrong. Try again in a moment.');
    this.status = status;
    this.code = error.code ?? 'INTERNAL';
    this.reason = error.reason ?? 'unknown';
    this.requestId = error.requestId;
    this.details = error.details ?? [];
  }
}

interface ServiceResponse<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** Returns the data or throws a `Problem`, also when the network is down. */
export async function call<T>(request: Promise<ServiceResponse<T>>): Promise<T> {
  const result = await request.catch(() => {
    throw new Problem(0, {
      reason: 'offline',
      message: 'Can’t reach the portal. Check your connection and try again.',
    });
  });
  if (result.response.ok) return result.data as T;
  throw new Problem(result.response.status, (result.error as { error?: ServiceError } | undefined)?.error ?? {});
}

/** Posts to one of the portal server's own routes. */
export const post = <T>(path: string, body: object = {}): Promise<T> =>
  call<T>(
    fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-requested-with': 'portal' },
      body: JSON.stringify(body),
    }).then(async (response) => {
      const json: unknown = await response.json().catch(() => undefined);
      return response.ok ? { data: json as T, response } : { error: json, response };
    }),
  );

/** The text values of a form by field name. Files are left out. */
export const fieldsOf = (form: HTMLFormElement): Record<string, string> =>
  Object.fromEntries(
    [...new FormData(form)].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );

/** The value of one field. */
export const field = (form: HTMLFormElement, name: string): string => fieldsOf(form)[name] ?? '';

/** The trimmed value of a field. Not for passwords, where spaces count. */
export const trimmedField = (form: FormData, name: string): string => {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim() : '';
};
