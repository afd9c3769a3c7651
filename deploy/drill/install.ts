import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOTP, URI } from 'otpauth';
import { vi } from 'vitest';
import { openSession, type Session } from './documented.ts';
import { apiUrl, trust, type Outside } from './outside.ts';
import { dir, docker, domain, shell } from './machine.ts';
import type { Stopwatch } from './table.ts';

const adminEmail = 'ada@example.com';

/** From the tarball to running containers, with the commands of the quickstart. */
export async function installFromTarball(tarball: string, outside: Outside, watch: Stopwatch) {
  const [, version = ''] = /parley-(.+)-airgapped\.tar\.gz$/.exec(tarball) ?? [];
  const home = join(dir, 'home');
  await shell(`mkdir -p ${home} && cp ${tarball} ${home}`);
  writeFileSync(join(dir, 'smtp-url'), outside.smtpUrl, { mode: 0o600 });
  const session = openSession(home, {
    VERSION: version,
    DOMAIN: domain,
    ADMIN_EMAIL: adminEmail,
    TLS: 'internal',
    SMTP_URL_FILE: join(dir, 'smtp-url'),
  });
  await watch.step('unpack the release and load its images', () => session.run('unpack'));
  trustOutside(session.cwd(), outside.caFile);
  const printed = await watch.step('setup, which starts everything', () => session.run('setup'));
  console.log(printed.replaceAll(/^ {2}(password|two-factor key|recovery codes) .*$|^ {18}\S+$/gm, '  $1 …'));
  await watch.step('the proxy has its certificates', () => trustItsAuthority(session, outside.caFile));
  return { session, version, admin: adminIn(printed) };
}

/** The tenant's backend and mail server have certificates of an authority that the containers do not know. */
function trustOutside(compose: string, caFile: string) {
  const server = {
    volumes: [`${caFile}:/etc/outside-ca.pem:ro`],
    environment: { NODE_EXTRA_CA_CERTS: '/etc/outside-ca.pem' },
  };
  const services = ['api-blue', 'api-green', 'worker-blue', 'worker-green', 'cli'].map((name) => [name, server]);
  writeFileSync(join(compose, 'compose.override.yaml'), JSON.stringify({ services: Object.fromEntries(services) }));
}

async function trustItsAuthority(session: Session, caFile: string) {
  // Created with the first certificate.
  await vi.waitFor(() => session.run('internal-ca'), { timeout: 60_000, interval: 500 });
  const pem = readFileSync(join(session.cwd(), 'parley-root.crt'), 'utf8');
  trust(pem);
  appendFileSync(caFile, `\n${pem}`); // for `check`, which opens its own hosts
  await vi.waitFor(
    async () => {
      const response = await fetch(`${apiUrl}/health/ready`);
      if (!response.ok) throw new Error(`${response.status}`);
    },
    { timeout: 60_000, interval: 200 },
  );
}

/** The first admin, as setup prints it once. */
function adminIn(printed: string) {
  const [, password = ''] = /password\s+(\S+)/.exec(printed) ?? [];
  const [, uri = ''] = /two-factor key\s+(\S+)/.exec(printed) ?? [];
  const totp = URI.parse(uri);
  if (!(totp instanceof TOTP)) throw new Error('setup printed no two-factor key');
  return { email: adminEmail, password, code: () => totp.generate() };
}
export type Admin = ReturnType<typeof adminIn>;

/** The sizes of the images, by name. */
export async function imageSizes(): Promise<[name: string, bytes: number][]> {
  const names = (await docker('image', 'ls', '--format', '{{.Repository}}:{{.Tag}}')).split('\n').filter(Boolean);
  const sizes = await Promise.all(names.map((name) => docker('image', 'inspect', '--format', '{{.Size}}', name)));
  return names.map((name, at) => [name, Number(sizes[at])]);
}
