import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { repository } from '../../../../tools/demo/processes.ts';
import { anAuthority } from '../../../../tools/receiver/certificates.ts';
import { freePort, runServer, type Server } from '../../../../tools/stack/processes.ts';

interface ProxyInput {
  dir: string;
  httpPort: number;
  httpsPort: number;
  /** The ports of the two processes of the API. */
  api: readonly [number, number];
  certificate: string;
  key: string;
}

interface ProxySample {
  program: string;
  sample: string;
  /** The sample for this machine: its ports, its certificate, and no account to change to. */
  configuration(text: string, input: ProxyInput): string;
  check: readonly string[];
  run: readonly string[];
}

const ports = (text: string, { api: [one, two], httpPort, httpsPort }: ProxyInput) =>
  text
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${one}`)
    .replaceAll('127.0.0.1:3010', `127.0.0.1:${two}`)
    .replaceAll(
      /^( *(?:listen|bind) )(?:\[::\])?:?(80|443)\b/gm,
      (_line, start: string, port: string) =>
        `${start}${start.includes('bind') ? ':' : ''}${port === '80' ? httpPort : httpsPort}`,
    );

/** The configuration is in the folder in which the program runs, as `sample`. */
export const proxies: Record<'nginx' | 'caddy' | 'haproxy', ProxySample> = {
  nginx: {
    program: 'nginx',
    sample: 'nginx/parley.conf',
    configuration: (text, input) => `pid nginx.pid;
error_log stderr;
daemon off;
events {}
http {
  access_log off;
  client_body_temp_path body; proxy_temp_path proxied; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
${ports(text.replaceAll(/^ +listen \[::\].*\n/gm, ''), input)
  .replace('/etc/ssl/parley/fullchain.pem', input.certificate)
  .replace('/etc/ssl/parley/privkey.pem', input.key)
  .replace('/var/cache/nginx/parley', join(input.dir, 'cache'))}
}
`,
    check: ['-t', '-p', '.', '-c', 'sample'],
    run: ['-p', '.', '-c', 'sample'],
  },
  caddy: {
    program: 'caddy',
    sample: 'caddy/Caddyfile',
    configuration: (text, input) =>
      ports(text, input)
        .replace('email admin@example.com', `admin off\n\thttp_port ${input.httpPort}\n\thttps_port ${input.httpsPort}`)
        .replace('(site) {', `(site) {\n\ttls ${input.certificate} ${input.key}`),
    check: ['validate', '--adapter', 'caddyfile', '--config', 'sample'],
    run: ['run', '--adapter', 'caddyfile', '--config', 'sample'],
  },
  haproxy: {
    program: 'haproxy',
    sample: 'haproxy/haproxy.cfg',
    configuration: (text, input) => {
      const pems = [input.certificate, input.key].map((file) => readFileSync(file, 'utf8'));
      writeFileSync(join(input.dir, 'both.pem'), pems.join('\n'));
      return ports(text, input)
        .replace('/etc/ssl/parley/parley.pem', join(input.dir, 'both.pem'))
        .replace('log /dev/log', 'log stdout format raw')
        .replace('maxconn 20000', 'maxconn 100')
        .replaceAll(/^ +(?:user|group) .*\n/gm, '');
    },
    check: ['-c', '-f', 'sample'],
    run: ['-db', '-f', 'sample'],
  },
};

export const hosts = { api: 'api.chat.example.com', cdn: 'cdn.chat.example.com' };

/** Where the program is, or undefined if it is not installed. */
export const programOf = ({ program }: ProxySample): string | undefined =>
  [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
    .map((folder) => join(folder, program))
    .find((file) => existsSync(file));

export interface Proxy extends Server {
  httpPort: number;
  httpsPort: number;
  /** What the program's own check of the configuration said. */
  checked: { status: number | null; output: string };
  /** The authority to trust. */
  ca: string;
}

export async function startProxy(dir: string, proxy: ProxySample, api: readonly [number, number]): Promise<Proxy> {
  mkdirSync(dir, { recursive: true });
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const [certificate, key] = [join(dir, 'certificate.pem'), join(dir, 'key.pem')];
  const authority = await anAuthority('Samples');
  const issued = await authority.certify('*.chat.example.com');
  writeFileSync(certificate, issued.cert);
  writeFileSync(key, issued.key, { mode: 0o600 });
  const sample = readFileSync(join(repository, 'deploy/samples', proxy.sample), 'utf8');
  writeFileSync(join(dir, 'sample'), proxy.configuration(sample, { dir, httpPort, httpsPort, api, certificate, key }));
  const command = programOf(proxy) ?? proxy.program;
  const { status, stdout, stderr } = spawnSync(command, proxy.check, { cwd: dir, encoding: 'utf8' });
  const server = await runServer({
    name: 'proxy',
    dir,
    command,
    args: proxy.run,
    env: { HOME: dir },
    isReady: () => listens(httpsPort),
  });
  return { ...server, httpPort, httpsPort, checked: { status, output: stdout + stderr }, ca: authority.pem };
}

const listens = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve((socket.destroy(), true)));
    socket.once('error', () => resolve(false));
  });
