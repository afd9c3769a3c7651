// oxlint-disable-next-line no-restricted-imports -- only to the deployment's own URLs, and it sends no request
import { connect } from 'node:tls';
import { reuse } from './gauges.ts';

const everyMs = 3_600_000;
const timeoutMs = 5_000;

/**
 * When the certificates of these URLs expire, by host, in seconds. They are those that clients see, usually of a proxy. Read
 * once an hour, and not while someone waits for the metrics: a host that can't be reached would take too long.
 */
export function certificateExpiries(urls: readonly (string | undefined)[]): () => Record<string, number> {
  const hosts = new Map(
    urls.flatMap((text) => {
      const url = text === undefined ? undefined : new URL(text);
      return url?.protocol === 'https:' ? [[url.host, url] as const] : [];
    }),
  );
  const known: Record<string, number> = {};
  const read = reuse(
    () =>
      Promise.all(
        [...hosts].map(async ([host, url]) => {
          const seconds = await expiryOf(url).catch(() => undefined);
          if (seconds !== undefined) known[host] = seconds; // otherwise the last one
        }),
      ),
    { everyMs },
  );
  return () => {
    void read();
    return known;
  };
}

/** The certificate is not validated here: an expired one has a time as well. */
const expiryOf = ({ hostname, port }: URL) =>
  new Promise<number>((resolve, reject) => {
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const socket = connect({ host, port: Number(port) || 443, servername: host, rejectUnauthorized: false }, () => {
      resolve(Date.parse(socket.getPeerCertificate().valid_to) / 1_000);
      socket.destroy();
    });
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error('timed out')));
    socket.once('error', reject);
  });
