import { createService, type ServiceError } from '../service/client.ts';

/** The service, for scripts of our pages: by way of the portal's own server, which adds who is asking. */
export const api = createService({ baseUrl: '/api', headers: { 'x-requested-with': 'portal' } });

/** What the service refused, as something to throw and to show. */
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

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The answer, or the refusal thrown. A line that is down is said in words as well. */
export async function call<T>(asked: Promise<Answer<T>>): Promise<T> {
  const answer = await asked.catch(() => {
    throw new Problem(0, {
      reason: 'offline',
      message: 'Can’t reach the portal. Check your connection and try again.',
    });
  });
  if (answer.response.ok) return answer.data as T;
  throw new Problem(answer.response.status, (answer.error as { error?: ServiceError } | undefined)?.error ?? {});
}

/** For the few addresses that are the portal's own. */
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

/** What somebody typed into a form, by the names of its fields. Files are not among it. */
export const fieldsOf = (form: HTMLFormElement): Record<string, string> =>
  Object.fromEntries(
    [...new FormData(form)].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );

/** One of them. */
export const field = (form: HTMLFormElement, name: string): string => fieldsOf(form)[name] ?? '';

/** Without what was typed around it. Not for passwords: there a space counts. */
export const textIn = (form: FormData, name: string): string => {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim() : '';
};
