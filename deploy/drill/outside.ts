import { createHash, type X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { connect, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { launchChromium } from '../../apps/server/test/chromium.ts';
import { startMailCatcher } from '../../tools/mail/index.ts';
import { startReceiver } from '../../tools/receiver/index.ts';
import { dir, domain, outsideIp, tenantDomain } from './machine.ts';

// What is on the other side of the network: a customer's website and backend, a mail server and people with browsers.

export const url = (host = '') => `https://${host && `${host}.`}${domain}`;
export const [portalUrl, apiUrl, adminUrl, cdnUrl, docsUrl] = [
  url(),
  url('api'),
  url('admin'),
  url('cdn'),
  url('docs'),
] as const;

/** Certificates that people and programs outside trust from now on. */
export function trust(...pems: string[]): void {
  setDefaultCACertificates([...getCACertificates('default'), ...pems]);
}
export const trusted = () => getCACertificates('default');

export async function openOutside() {
  const receiver = await startReceiver({ keep: 1_000_000, host: `hooks.${tenantDomain}`, ip: outsideIp, port: 8443 });
  trust(receiver.caPem);
  const caFile = join(dir, 'outside-ca.pem');
  writeFileSync(caFile, receiver.caPem);

  const mailHost = `mail.${tenantDomain}`;
  const mail = await startMailCatcher({ host: outsideIp, smtpPort: 465, tls: await receiver.certify(mailHost) });

  let snippet = '';
  const site = createServer(await receiver.certify(tenantDomain), (_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(
      `<!doctype html><html lang="en"><title>Northlight</title><body><h1>Northlight</h1><p>Bicycles for the city.</p>${snippet}</body></html>`,
    );
  });
  await new Promise<void>((ready) => site.listen(443, outsideIp, ready));

  return {
    receiver,
    caFile,
    smtpUrl: `smtps://${mailHost}:465`,
    /** The link in the next email to this person. */
    linkFor: async (email: string) => {
      const { text } = await mail.next(({ to }) => to.includes(email), 60_000);
      const [link] = /https?:\/\/\S+token=\S+/.exec(text) ?? [];
      if (!link) throw new Error(`the email to ${email} has no link`);
      return link;
    },
    siteUrl: `https://${tenantDomain}`,
    /** Puts the widget on the website. */
    paste: (script: string) => (snippet = script),
  };
}
export type Outside = Awaited<ReturnType<typeof openOutside>>;

/** The certificate authorities that a server's certificate names, nearest first. */
const chainOf = (host: string) =>
  new Promise<X509Certificate[]>((resolve, reject) => {
    const socket = connect({ host, port: 443, servername: host }, () => {
      const chain: X509Certificate[] = [];
      for (let one = socket.getPeerX509Certificate(); one; one = one.issuerCertificate) chain.push(one);
      socket.destroy();
      resolve(chain);
    });
    socket.once('error', reject);
  });

/** A browser that trusts what this process trusts: Chromium has its own list, and takes public keys in addition. */
export async function openBrowser() {
  const hosts = [...['', 'api.', 'admin.', 'cdn.', 'docs.'].map((host) => host + domain), tenantDomain];
  const chains = await Promise.all(hosts.map(chainOf)); // verified by this process
  const pins = chains.flat().map(({ publicKey }) =>
    createHash('sha256')
      .update(publicKey.export({ type: 'spki', format: 'der' }))
      .digest('base64'),
  );
  return launchChromium([`--ignore-certificate-errors-spki-list=${[...new Set(pins)].join(',')}`]);
}
