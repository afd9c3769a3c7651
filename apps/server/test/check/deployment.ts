import { createServer as createHttpServer, request as callHttp, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext, type SecureContext } from 'node:tls';
import * as restateSdk from '@restatedev/restate-sdk';
import fastify from 'fastify';
import { SMTPServer } from 'smtp-server';
import { loadPortalConfig } from '../../../../packages/portal-kit/src/server/config.ts';
import { createCookies } from '../../../../packages/portal-kit/src/server/cookies.ts';
import { createHosted } from '../../../../packages/portal-kit/src/server/hosted.ts';
import { signInRoutes } from '../../../../packages/portal-kit/src/server/sign-in.ts';
import { anAuthority } from '../../../../tools/receiver/certificates.ts';
import { freePort, startRestate, startValkey } from '../../../../tools/stack/index.ts';
import { newestDataKey } from '../../src/platform/data-keys.ts';
import { serveDurable } from '../../src/platform/restate.ts';
import { createLog } from '../../src/platform/telemetry.ts';
import { startDns } from '../dns-server.ts';
import { aTenant, inside, listen, openApi, ownDir, settings } from '../harness.ts';

const domain = 'chat.example.com';
const day = 86_400_000;
const portOf = (server: Server) => (server.address() as AddressInfo).port;
const listening = async <S extends Server>(server: S, host = '127.0.0.1', port = 0): Promise<S> => {
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  return server;
};

/**
 * A deployment as an operator has it, with nothing wrong: PostgreSQL, Valkey, Restate with a worker, SMTP, and a proxy that
 * terminates TLS for the API, the portals and the CDN, with host names from its own DNS and its own certificate authority.
 */
export async function startDeployment() {
  const folder = mkdtempSync(join(tmpdir(), 'parley-check-'));
  const [valkey, restate, port] = await Promise.all([
    startValkey(ownDir('check-valkey')),
    startRestate(ownDir('check-restate'), { partitions: 1 }),
    freePort(),
  ]);
  const urlOf = (name: string) => `https://${name ? `${name}.` : ''}${domain}:${port}`;
  const urls = { api: urlOf('api'), portal: urlOf(''), admin: urlOf('admin'), cdn: urlOf('cdn') };
  const clientFor = (pool: string, clientId: string, url: string) => ({
    pool,
    clientId,
    redirectUris: [`${url}/api/auth/callback`],
  });
  const clients = (portal = urls.portal) =>
    JSON.stringify([clientFor('customer', 'portal', portal), clientFor('admin', 'admin', urls.admin)]);
  const own = { PUBLIC_URL: urls.api, PORTAL_URL: urls.portal, ADMIN_URL: urls.admin, OIDC_CLIENTS: clients() };

  const api = await openApi({ ...own, VALKEY_URL: valkey.url });
  const apiUrl = await listen(api.app);
  const { tenantId } = await aTenant();
  await inside(tenantId, newestDataKey); // a secret that the master key protects

  const startPortal = async (pool: 'customer' | 'admin', portalUrl: string) => {
    const config = loadPortalConfig(pool === 'admin' ? 'admin' : 'portal', {
      PORTAL_URL: portalUrl,
      API_URL: apiUrl,
      PUBLIC_API_URL: urls.api,
      COOKIE_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
    });
    const app = fastify();
    const cookies = createCookies(pool, config.COOKIE_KEYS);
    signInRoutes(app, {
      pool,
      config,
      cookies,
      hosted: createHosted(pool, config),
      sessionOf: () => undefined as never,
    });
    return { url: await app.listen({ host: '127.0.0.1', port: 0 }), close: () => app.close() };
  };
  const portals = await Promise.all([startPortal('customer', urls.portal), startPortal('admin', urls.admin)]);
  const [portal, admin] = portals;

  const oldApi = await listening(createHttpServer((_request, response) => response.end('{"version":"0.0.1"}')));
  const models = await listening(
    createHttpServer((request, response) => {
      response.writeHead(request.headers.authorization === 'Bearer right' ? 200 : 401).end('{"data":[]}');
    }),
  );
  const targets: Record<string, string | undefined> = {
    [`api.${domain}`]: apiUrl,
    [domain]: portal.url,
    [`stale.${domain}`]: portal.url, // its own settings name another host
    [`admin.${domain}`]: admin.url,
    [`cdn.${domain}`]: `${apiUrl}/cdn`,
    [`soon.${domain}`]: `${apiUrl}/cdn`,
    [`expired.${domain}`]: `${apiUrl}/cdn`,
    [`another.${domain}`]: `${apiUrl}/cdn`,
    [`old.${domain}`]: `http://127.0.0.1:${portOf(oldApi)}`,
    [`models.${domain}`]: `http://127.0.0.1:${portOf(models)}`,
  };
  const authority = await anAuthority('Example CA');
  const certificates = new Map<string, SecureContext>();
  for (const host of Object.keys(targets)) {
    const notAfterDate = host.startsWith('expired') ? new Date(Date.now() - day) : new Date(Date.now() + day);
    const isSpecial = /^(expired|soon)/.test(host);
    const subject = host.startsWith('another') ? domain : host;
    certificates.set(host, createSecureContext(await authority.certify(subject, isSpecial ? { notAfterDate } : {})));
  }
  const proxyRequest: RequestListener = (request, response) => {
    const target = targets[request.headers.host?.split(':')[0] ?? ''];
    const { method = 'GET', headers, url } = request;
    const onward = callHttp(`${target}${url}`, { method, headers }, (received) => {
      response.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  };
  const proxy = await listening(
    createHttpsServer({ SNICallback: (host, done) => done(null, certificates.get(host)) }, proxyRequest),
    '127.0.0.1',
    port,
  );
  const zone = Object.fromEntries(Object.keys(targets).map((host) => [host, ['127.0.0.1']]));
  const dns = await startDns(zone);

  const log = createLog('check', 'silent');
  const quiet = restateSdk.service({ name: 'Quiet', handlers: { rest: async () => {} } });
  const startWorker = (identityKey: string) =>
    serveDurable({ log, services: [quiet], host: '127.0.0.1', port: 0, identityKeys: [identityKey] });
  const worker = await startWorker(restate.identityKey);

  const smtp = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    closeTimeout: 100,
    onAuth: ({ username, password }, _session, done) =>
      username === 'parley' && password === 'right' ? done(null, { user: username }) : done(new Error('wrong')),
  });
  smtp.on('error', () => {});
  await listening(smtp.server);
  const smtpAt = (host: string, password = 'right') => `smtp://parley:${password}@${host}:${portOf(smtp.server)}`;

  const fileWith = (name: string, text: string, mode = 0o600) => {
    const file = join(folder, name);
    writeFileSync(file, text);
    chmodSync(file, mode);
    return file;
  };
  const model = { name: 'default', provider: 'openai-compatible', model: 'm', inputPrice: 0, outputPrice: 0 };
  const modelsAt = (url: string, apiKey = 'right') => JSON.stringify([{ ...model, baseUrl: `${url}/v1`, apiKey }]);
  const embeddings = { provider: 'openai-compatible', model: 'e', dimensions: 512, inputPrice: 0, apiKey: 'right' };
  const issuerAt = (jwksUrl: string) =>
    JSON.stringify([{ pool: 'customer', issuer: 'https://id.example', jwksUrl, audience: ['parley'], tenants: 'all' }]);

  const env: Record<string, string> = {
    ...settings(),
    ...own,
    PARLEY_ENV: 'production',
    VALKEY_URL: valkey.url,
    RESTATE_INGRESS_URL: restate.ingressUrl,
    RESTATE_ADMIN_URL: restate.adminUrl,
    RESTATE_IDENTITY_KEYS: restate.identityKey,
    WORKER_URL: `http://127.0.0.1:${worker.port}`,
    CDN_URL: urls.cdn,
    PASSKEY_DOMAIN: domain,
    TRUSTED_PROXIES: '127.0.0.1',
    SMTP_URL: smtpAt('127.0.0.1'),
    MAIL_FROM: `Parley <no-reply@${domain}>`,
    MODELS: modelsAt(urlOf('models')),
    OIDC_ISSUERS: issuerAt(`${urls.api}/pools/customer/jwks`),
    EGRESS_OPEN_HOSTS: [urls.api, urlOf('models')].map((url) => new URL(url).host).join(','),
    EGRESS_CA_FILE: fileWith('ca.pem', authority.pem, 0o644),
  };

  return {
    env,
    dnsServers: [dns.server],
    urlOf,
    clients,
    smtpAt,
    modelsAt,
    issuerAt,
    fileWith,
    startWorker,
    embeddings: JSON.stringify({ ...embeddings, baseUrl: `${urlOf('models')}/v1` }),
    close: async () => {
      await Promise.all([
        new Promise<void>((resolve) => smtp.close(() => resolve())),
        worker.stop(1),
        dns.close(),
        ...portals.map((one) => one.close()),
        api.close(),
      ]);
      for (const server of [proxy, oldApi, models]) {
        server.closeAllConnections();
        server.close();
      }
      await Promise.all([valkey.stop(), restate.stop()]);
      rmSync(folder, { recursive: true });
    },
  };
}
