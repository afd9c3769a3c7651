import { Agent, request } from 'node:http';

export interface BotTarget {
  apiUrl: string;
  site: string;
  publicKey: string;
  botId: string;
}

export interface Target extends BotTarget {
  /** A bot that uses a model. */
  modelBot: { publicKey: string; botId: string };
}

export const agent = new Agent({ keepAlive: true, maxSockets: 4_000 });

interface Call {
  headers?: Record<string, string>;
  body?: unknown;
  /** Called with the text so far; returning true ends the request. */
  onData?: (text: string) => boolean;
}

/** One request on a kept-alive connection, without the overhead of fetch. */
export const call = (method: string, url: string, { headers = {}, body, onData }: Call = {}) =>
  new Promise<string>((resolve, reject) => {
    const sent = request(url, { agent, method, headers: { 'content-type': 'application/json', ...headers } });
    sent.once('error', reject);
    sent.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (onData?.(text)) resolve(text);
      });
      response.once('end', () =>
        (response.statusCode ?? 500) < 300 ? resolve(text) : reject(new Error(`${response.statusCode} ${text}`)),
      );
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });

let visitors = 0;
export const anIp = () => {
  visitors++;
  return `10.${(visitors >> 16) & 255}.${(visitors >> 8) & 255}.${visitors & 255}`;
};

export async function openSession({ apiUrl, site, publicKey, botId }: BotTarget) {
  const ip = anIp();
  const headers = { origin: site, 'x-forwarded-for': ip };
  const response = await call('POST', `${apiUrl}/widget/sessions/anonymous`, {
    headers,
    body: { publicKey, botId, visitorId: ip },
  });
  return { headers, ...(JSON.parse(response) as { sessionToken: string }) };
}
