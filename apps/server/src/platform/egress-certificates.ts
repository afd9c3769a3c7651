import { connect, createSecureContext, getCACertificates, type PeerCertificate, type SecureContext } from 'node:tls';
import { resolveAllowed, type EgressPolicy } from './ip-addresses.ts';

const contexts = new Map<string, SecureContext>();

/** Trusts these authorities in addition to the usual ones. Shared, because parsing hundreds of certificates takes 25 ms. */
export function trustWith(extraCa: string): SecureContext {
  const context = contexts.get(extraCa) ?? createSecureContext({ ca: [...getCACertificates('default'), extraCa] });
  contexts.set(extraCa, context);
  return context;
}

/**
 * Reads the certificate of an open host, verified like those of outgoing requests, which do not show when it expires. Sends
 * no request.
 */
export function createCertificateReader(policy: EgressPolicy, timeoutMs: number) {
  return async (url: URL): Promise<PeerCertificate> => {
    const [ip] = await resolveAllowed(policy, url, AbortSignal.timeout(timeoutMs));
    return new Promise((resolve, reject) => {
      const socket = connect({
        host: ip ?? url.hostname,
        port: Number(url.port || 443),
        servername: url.hostname,
        timeout: timeoutMs,
        ...(policy.extraCa && { secureContext: trustWith(policy.extraCa) }),
      });
      socket.once('secureConnect', () => {
        resolve(socket.getPeerCertificate());
        socket.destroy();
      });
      socket.once('timeout', () => socket.destroy(new Error('ETIMEDOUT')));
      socket.once('error', reject);
    });
  };
}
