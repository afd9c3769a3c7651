import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { writeSecrets } from '../../src/setup/secrets.ts';

interface Service {
  image: string;
  user?: string;
  read_only?: boolean;
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
  mem_limit?: string;
  pids_limit?: number;
  restart?: string;
  logging?: { options?: Record<string, string> };
  ports?: string[];
  networks?: string[] | Record<string, unknown>;
  network_mode?: string;
  environment?: Record<string, string>;
  secrets?: string[];
  privileged?: boolean;
}
interface Compose {
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean } | null>;
  secrets: Record<string, { file: string }>;
}

const folder = resolve(import.meta.dirname, '../../../../deploy/compose');
const read = (file: string) => readFileSync(resolve(folder, file), 'utf8');
const compose = parse(read('compose.yaml'), { merge: true }) as Compose;
const services = Object.entries(compose.services);
const networksOf = ({ networks = [] }: Service) => (Array.isArray(networks) ? networks : Object.keys(networks));

test.each(services)('%s runs without privileges and within limits', (name, service) => {
  expect(service).toMatchObject({
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
    mem_limit: expect.any(String),
    pids_limit: expect.any(Number),
    logging: { options: { 'max-size': expect.any(String) } },
  });
  expect(service.privileged).toBeUndefined();
  const allowed: Record<string, string[]> = { volumes: ['CHOWN'], proxy: ['NET_BIND_SERVICE'] };
  expect(service.cap_add ?? []).toEqual(allowed[name] ?? []);
  // Root only where volumes get their owner, without a network and once.
  if (service.user?.startsWith('0')) expect(service).toMatchObject({ network_mode: 'none', restart: 'no' });
});

test.each(services)('%s uses an image with a version', (_name, { image }) => {
  const [, fallback] = /^\$\{\w+(?::-([^}]+))?(?::\?[^}]*)?\}$/.exec(image) ?? [];
  const tag = /:([^/:]+|\$\{.+\})$/.exec(fallback ?? image)?.[1];
  if (fallback === undefined && image.startsWith('${')) expect(image).toContain('POSTGRES_IMAGE'); // set by setup
  else expect(tag).toMatch(/^v?\d+\.\d+\.\d+$|^\$\{(BLUE_|GREEN_)?VERSION/);
  expect(image).not.toContain('latest');
});

test('only the proxy has open ports, 80 and 443', () => {
  const open = services.filter(([, { ports }]) => ports).map(([name, { ports }]) => ({ name, ports }));
  expect(open).toEqual([{ name: 'proxy', ports: ['${HTTP_PORT:-80}:8080', '${HTTPS_PORT:-443}:8443'] }]);
});

test('data stores have no way to the internet, and only who needs one has it', () => {
  const hasWayOut = (service: Service) => networksOf(service).some((name) => !compose.networks[name]?.internal);
  const open = services.filter(([, service]) => !service.network_mode && hasWayOut(service)).map(([name]) => name);
  expect(open.toSorted()).toEqual(['api-blue', 'api-green', 'cli', 'proxy', 'worker-blue', 'worker-green']);
  expect(networksOf(compose.services['restate'] as Service)).toEqual(['restate']);
  const reachRestate = services.filter(([, service]) => networksOf(service).includes('restate')).map(([name]) => name);
  for (const name of ['proxy', 'portal-blue', 'admin-blue', 'docs-blue', 'prometheus', 'postgres', 'valkey'])
    expect(reachRestate).not.toContain(name);
});

test('secrets are files, and no service gets one that it does not name', () => {
  const secretSetting =
    /(PASSWORD|SECRET|TOKEN|KEYS|PASSPHRASE|(DATABASE|VALKEY|SMTP)_URL|MODELS|EMBEDDINGS|OIDC_CLIENTS)$/;
  for (const [name, { environment = {}, secrets = [] }] of services) {
    const given = Object.keys(environment).filter((setting) => secretSetting.test(setting));
    expect([name, given.filter((setting) => setting !== 'RESTATE_IDENTITY_KEYS')]).toEqual([name, []]); // public keys
    for (const value of Object.values(environment))
      for (const [, secret = ''] of value.matchAll(/\/run\/secrets\/(\w+)/g)) expect(secrets, name).toContain(secret);
    for (const secret of secrets) expect(Object.keys(compose.secrets)).toContain(secret);
  }
  for (const [name, { file }] of Object.entries(compose.secrets)) expect(file).toBe(`./secrets/${name}`);
});

test('the two slots differ in nothing but their slot', () => {
  const text = (name: string) => JSON.stringify(compose.services[name]);
  const inGreen = (json: string) =>
    json
      .replaceAll('blue', 'green')
      .replaceAll('BLUE', 'GREEN')
      .replace(/\}\.1(\d)"/, '}.2$1"');
  for (const name of ['api', 'worker', 'portal', 'admin', 'docs'])
    expect(text(`${name}-green`)).toBe(inGreen(text(`${name}-blue`)));
});

test('setup writes every secret that compose.yaml names', () => {
  const parent = mkdtempSync(resolve(tmpdir(), 'compose-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const dir = resolve(parent, 'secrets');
  writeSecrets(dir, { domain: 'chat.example.com' });
  expect(readdirSync(dir).toSorted()).toEqual(Object.keys(compose.secrets).toSorted());
});
