import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { productVersion } from '../platform/product-version.ts';
import { collectAnswers, withTerminal, type Answers } from './answers.ts';
import { parseEnv, setEnv } from './env-file.ts';
import { hostsOf, preflight, type Finding } from './preflight.ts';
import { restatePublicKey } from './restate-identity.ts';
import { writeSecrets } from './secrets.ts';

/** The settings of an earlier run that are not asked again. */
const asked = { domain: 'DOMAIN', tls: 'TLS', 'admin-email': 'ADMIN_EMAIL', 'admin-name': 'ADMIN_NAME' };

type Print = (line: string) => void;

/**
 * Writes the settings and secrets of a deployment with Compose to a folder, from three questions. Safe to repeat: secrets and
 * the running version are kept.
 */
export async function setup(args: string[], print: Print, check = preflight): Promise<void> {
  const { values: flags } = parseArgs({
    args,
    options: {
      dir: { type: 'string', default: '.' },
      domain: { type: 'string' },
      'smtp-url-file': { type: 'string' },
      'admin-email': { type: 'string' },
      'admin-name': { type: 'string' },
      tls: { type: 'string' },
      'tls-certificate-file': { type: 'string' },
      'tls-key-file': { type: 'string' },
      // `NAME=IMAGE`: an image to use in place of the public one.
      image: { type: 'string', multiple: true, default: [] },
      'http-port': { type: 'string' },
      'https-port': { type: 'string' },
      // The proxy has its ports already.
      running: { type: 'boolean', default: false },
      yes: { type: 'boolean', default: false },
      force: { type: 'boolean', default: false },
    },
  });
  const envFile = join(flags.dir, '.env');
  const before = existsSync(envFile) ? readFileSync(envFile, 'utf8') : '';
  const earlier = parseEnv(before);
  const known = Object.fromEntries(
    Object.entries(asked).flatMap(([flag, name]) => (earlier[name] ? [[flag, earlier[name]]] : [])),
  );
  const answers = await (flags.yes
    ? collectAnswers({ ...known, ...flags })
    : withTerminal((ask) => collectAnswers({ ...known, ...flags }, ask)));
  if (earlier['DOMAIN'] && earlier['DOMAIN'] !== answers.domain)
    throw new Error(
      `This deployment is ${earlier['DOMAIN']}. Its passkeys and its widgets on websites are bound to that domain, so it cannot change here.`,
    );

  print('Checking this machine …');
  const ports = {
    HTTP_PORT: flags['http-port'] ?? earlier['HTTP_PORT'] ?? '80',
    HTTPS_PORT: flags['https-port'] ?? earlier['HTTPS_PORT'] ?? '443',
  };
  const findings = await check(answers, {
    dir: flags.dir,
    ports: flags.running ? [] : Object.values(ports).map(portOf),
  });
  for (const finding of findings) print(formatFinding(finding));
  if (findings.some(({ kind }) => kind === 'problem') && !flags.force)
    throw new Error('Fix these problems and run setup again, or continue with --force. Nothing was written.');

  const { created, restateKey } = writeSecrets(join(flags.dir, 'secrets'), answers);
  const hasSmtp = readFileSync(join(flags.dir, 'secrets/smtp_url'), 'utf8') !== '';
  const text = setEnv(before || header, {
    ...defaults(answers),
    ...earlier,
    ...ports,
    ...images(flags.image),
    TLS: answers.tls,
    RESTATE_IDENTITY_KEYS: restatePublicKey(restateKey),
    SMTP_URL_FILE: hasSmtp ? '/run/secrets/smtp_url' : '',
  });
  writeFileSync(`${envFile}.new`, text, { mode: 0o600 });
  renameSync(`${envFile}.new`, envFile);
  const settingsFile = join(flags.dir, 'settings.env');
  if (!existsSync(settingsFile)) writeFileSync(settingsFile, settingsHeader, { mode: 0o600 });

  print(created.length > 0 ? `Created secrets: ${created.join(', ')}.` : 'All secrets existed already and were kept.');
  if (before) print('Kept the existing .env, with its versions.');
  print('');
  print(
    'Store a copy of the folder `secrets` in a safe place, apart from the backups: without it, backups cannot be read.',
  );
  if (!hasSmtp) print('Emails stay queued until you add an SMTP server: run setup again with --smtp-url-file.');
  print(`Hosts: ${hostsOf(answers.domain).join(', ')}`);
}

const header = '# Written by ./setup and ./upgrade. Settings of the product: settings.env. Secrets: secrets/.\n';
const settingsHeader =
  '# Settings of the API and the worker, as NAME=value: see docs/configuration.md. Restart them to apply a change:\n# docker compose up -d\n# Secrets (SMTP_URL, MODELS, EMBEDDINGS, …) are files in secrets/.\n#SIGNUP=off\n#LOG_LEVEL=info\n';

const defaults = ({ domain, adminEmail, adminName, tls }: Answers) => ({
  DOMAIN: domain,
  TLS: tls,
  ACME_EMAIL: adminEmail,
  MAIL_FROM: `Parley <no-reply@${domain}>`,
  ADMIN_EMAIL: adminEmail,
  ADMIN_NAME: adminName,
  VERSION: productVersion,
  ACTIVE: 'blue',
  BLUE_VERSION: productVersion,
  GREEN_VERSION: '',
  COMPOSE_PROFILES: 'blue',
  POSTGRES_IMAGE: `parley/postgres:${productVersion}`,
});

/** `8080`, or `127.0.0.1:8080` to listen on one address. */
function portOf(text: string): number {
  const [, port] = /^(?:[\d.]+:)?(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined) throw new Error('A port must look like 443, or like 127.0.0.1:443 for one address.');
  return Number(port);
}

/** `valkey=parley/valkey:1.0.0` becomes the setting VALKEY_IMAGE. */
const images = (given: readonly string[]) =>
  Object.fromEntries(
    given.map((pair) => {
      const [, name, image] = /^([a-z]+)=(\S+)$/.exec(pair) ?? [];
      if (!name || !image) throw new Error('--image must look like valkey=registry.example.com/valkey:8.1');
      return [`${name.toUpperCase()}_IMAGE`, image];
    }),
  );

const signs = { ok: '  ok      ', warning: '  WARNING ', problem: '  PROBLEM ' };
const formatFinding = ({ kind, text }: Finding) => `${signs[kind]}${text}`;
