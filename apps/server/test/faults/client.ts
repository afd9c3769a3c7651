import { Agent, request } from 'node:http';

export interface ClientResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** Keeps connections open and does not retry: a broken connection is an error with its code. */
export function createClient(maxSockets = 64) {
  const agent = new Agent({ keepAlive: true, maxSockets });
  /** `pause` delays the second half of the body, as a slow client does. */
  const call = (
    method: string,
    url: string,
    headers: Record<string, string> = {},
    body?: unknown,
    pause?: Promise<void>,
  ) =>
    new Promise<ClientResponse>((resolve, reject) => {
      const payload = body === undefined ? undefined : JSON.stringify(body);
      const sent = request(url, {
        agent,
        method,
        headers: {
          ...headers,
          ...(payload !== undefined && { 'content-type': 'application/json', 'content-length': payload.length }),
        },
      });
      sent.once('error', reject);
      sent.once('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
          }),
        );
      });
      if (!pause) return void sent.end(payload);
      sent.write(payload?.slice(0, 5));
      void pause.then(() => sent.end(payload?.slice(5)));
    });
  return { call, close: () => agent.destroy() };
}

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);
