import { connect, createSecureContext, getCACertificates, type PeerCertificate } from 'node:tls';
import { resolveAllowed, type EgressPolicy } from './ip-addresses.ts';

/**
 * Reads the certificate of an open host, verified like those of outgoing requests, which do not show when it expires. Sends
 * no request.
 */
export function createCertificateReader(policy: EgressPolicy, timeoutMs: number) {
  const { extraCa } = policy;
  const secureContext = createSecureContext(extraCa ? { ca: [...getCACertificates('default'), extraCa] } : {});
  return async (url: URL): Promise<PeerCertificate> => {
    const [ip] = await resolveAllowed(policy, url, AbortSignal.timeout(timeoutMs));
    return new Promise((resolve, reject) => {
      const socket = connect({
        host: ip ?? url.hostname,
        port: Number(url.port || 443),
        servername: url.hostname,
        secureContext,
        timeout: timeoutMs,
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
