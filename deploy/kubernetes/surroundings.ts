import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createDatabase } from '../../tools/demo/settings.ts';
import { miniLm } from '../../tools/model/minilm.ts';
import { startReceiver } from '../../tools/receiver/index.ts';
import { startStack } from '../../tools/stack/index.ts';
import { merge, readSample, type Values } from '../helm/test/render.ts';
import { namespace } from './kubectl.ts';
import { proxyConfig } from './proxy.ts';

// What runs next to the cluster, as an installation finds it: databases, an ingress and the backend of a tenant.

const setting = (name: string) => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: start this with deploy/kubernetes/run`);
  return value;
};
const ip = setting('HOST_IP');
const domain = setting('CLUSTER_DOMAIN');
const tenantDomain = setting('TENANT_DOMAIN');
export const apiUrl = `https://api.${domain}`;
export const portalUrl = `https://${domain}`;
const adminUrl = `https://admin.${domain}`;
const services = {
  [`api.${domain}`]: 'parley-api.parley.svc:3000',
  [domain]: 'parley-portal.parley.svc:3100',
  [`admin.${domain}`]: 'parley-admin.parley.svc:3101',
};
export const siteUrl = `https://${tenantDomain}`;

const newKey = () => randomBytes(32).toString('base64');

/** PostgreSQL, Valkey, Restate, HAProxy, and the backend of a tenant over TLS. Files of this run are in `folder`. */
export async function startSurroundings(folder: string) {
  const stack = await startStack('kubernetes', { keep: false, durable: true });
  const receiver = await startReceiver({ keep: 0, host: `hooks.${tenantDomain}`, ip, port: 8443 });
  setDefaultCACertificates([...getCACertificates('default'), receiver.caPem]);
  const urlAs = await createDatabase(stack.postgres.adminUrl);
  const inCluster = (username: string) => Object.assign(new URL(urlAs(username)), { host: `${ip}:5432` }).href;
  const masterKeys = `k1:${newKey()}`;

  const certificates = join(folder, 'certificates');
  mkdirSync(certificates, { recursive: true });
  for (const host of Object.keys(services)) {
    const { cert, key } = await receiver.certify(host);
    writeFileSync(join(certificates, `${host}.pem`), `${cert}\n${key}`, { mode: 0o600 });
  }
  const { postgres, valkey, restate } = stack;
  const portOf = (url: string) => new URL(url).port;
  const servers = {
    5432: portOf(postgres.adminUrl),
    6379: portOf(valkey.url),
    8080: portOf(restate.ingressUrl),
    9070: portOf(restate.adminUrl),
  };
  const configuration = join(folder, 'haproxy.cfg');
  writeFileSync(configuration, proxyConfig({ ip, services, certificates, servers }));
  const log = openSync(join(folder, 'haproxy.log'), 'w');
  const proxy = spawn('haproxy', ['-f', configuration], { stdio: ['ignore', log, log] });

  return {
    receiver,
    stack,
    /** What `seedTenants` needs, on this machine. */
    settings: {
      DATABASE_URL: urlAs('parley_app'),
      MASTER_KEYS: masterKeys,
      EMBEDDINGS: JSON.stringify(miniLm()),
    },
    secrets: [
      secret('parley', {
        database_url: inCluster('parley_app'),
        // Its default user accepts every password, and the server insists on one.
        valkey_url: `redis://default:none@${ip}:6379`,
        master_keys: masterKeys,
        metrics_token: newKey(),
        portal_cookie_keys: `k1:${newKey()}`,
        admin_cookie_keys: `k1:${newKey()}`,
        egress_ca: receiver.caPem,
      }),
      secret('parley-owner', { owner_database_url: inCluster('parley_owner') }),
    ],
    values: valuesFor(restate.identityKey, receiver.host),
    stop: async () => {
      proxy.kill();
      await receiver.stop();
      await stack.stop();
    },
  };
}

const secret = (name: string, stringData: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace },
  stringData,
});

/** The sample for every installation, with what this one has. */
function valuesFor(identityKey: string, receiverHost: string): Values {
  const here = { cidrs: [`${ip}/32`] };
  const peers = [{ ipBlock: { cidr: here.cidrs[0] } }];
  const sample = {
    ...readSample('minimal.yaml'),
    networkPolicy: { ingressFrom: peers, postgresql: here, valkey: here, restate: here },
  };
  return merge(sample, {
    urls: { api: apiUrl, portal: portalUrl, admin: adminUrl },
    docs: { enabled: false },
    // The nodes and the pods
    trustedProxies: ['172.29.0.0/24', '172.30.0.0/16'],
    secrets: { egressCa: { name: 'parley' }, smtpUrl: { name: '' } },
    settings: { EGRESS_TENANT_OPEN_HOSTS: receiverHost },
    restate: { ingressUrl: `http://${ip}:8080`, adminUrl: `http://${ip}:9070`, identityKeys: [identityKey] },
  });
}
