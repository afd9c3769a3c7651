import { statSync } from 'node:fs';
import { readIpRange } from '../platform/ip-ranges.ts';
import { secretNames, type Environment } from '../platform/secret-files.ts';
import { Settings, type Config, type SettingProblem } from '../platform/settings.ts';
import { defineFindings, type CheckContext, type Finding } from './finding.ts';

const { types, report } = defineFindings({
  'settings.invalid': {
    level: 'error',
    cause: 'A setting is missing or has a value that cannot be used. Other checks run when all settings are valid.',
    fix: 'Correct the setting: docs/configuration.md describes each of them.',
  },
  'settings.unsafe': {
    level: 'error',
    cause: 'With this setting, the server refuses to start in production. Other findings about it are not shown.',
    fix: 'Change the setting as the message says.',
  },
  'settings.file_mode': {
    level: 'warning',
    cause:
      'All users of this machine can read a file with a secret. Files in `/run/secrets` belong to one container and are not checked.',
    fix: 'Run `chmod o-rwx` on the file, and make sure that the user of the server still can read it.',
  },
  'settings.file_ignored': {
    level: 'warning',
    cause: 'A setting is given as a file that only secrets can be given as, so the file is not read.',
    fix: 'Set the setting itself.',
  },
  'settings.trusted_proxies': {
    level: 'error',
    cause: 'TRUSTED_PROXIES contains every IP address, so that clients can choose the IP address they are seen with.',
    fix: 'List only the IP addresses or networks of your reverse proxies.',
  },
  'settings.proxy_missing': {
    level: 'warning',
    cause:
      'PUBLIC_URL uses https, which a proxy terminates, but no proxy is trusted. Rate limits and audit logs see the IP address of the proxy instead of the client.',
    fix: 'Set TRUSTED_PROXIES to the IP address or network of the proxy.',
  },
});
export const settingFindings = types;

export const reportProblems = (problems: readonly SettingProblem[]): Finding[] =>
  problems.map(({ kind, settings, message }) => report(`settings.${kind}`, settings, message));

/** Private to its container, whatever the mode. */
const containerSecrets = '/run/secrets/';

export function checkSecretFiles(env: Environment): Finding[] {
  const secrets = secretNames(Settings);
  const readable = secrets.filter((name) => {
    const file = env[`${name}_FILE`];
    if (!file || file.startsWith(containerSecrets)) return false;
    const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
    return (mode & 0o004) !== 0;
  });
  const ignored = Object.keys(Settings.shape).filter(
    (name) => env[`${name}_FILE`] && !secrets.includes(name) && !(`${name}_FILE` in Settings.shape),
  );
  return [
    ...readable.map((name) =>
      report('settings.file_mode', [`${name}_FILE`], `${name}_FILE: all users can read ${env[`${name}_FILE`]}.`),
    ),
    ...ignored.map((name) =>
      report('settings.file_ignored', [`${name}_FILE`], `${name}_FILE is set, but ${name} is not a secret.`),
    ),
  ];
}

export async function checkSettings({ config }: Pick<CheckContext, 'config'>): Promise<Finding[]> {
  const everything = config.TRUSTED_PROXIES.filter((range) => readIpRange(range)?.endsWith('/0'));
  return [
    ...everything.map((range) =>
      report('settings.trusted_proxies', ['TRUSTED_PROXIES'], `TRUSTED_PROXIES contains ${range}, every IP address.`),
    ),
    ...(isProxyMissing(config)
      ? [report('settings.proxy_missing', ['TRUSTED_PROXIES'], 'TRUSTED_PROXIES is empty, but PUBLIC_URL uses https.')]
      : []),
  ];
}

const isProxyMissing = ({ PUBLIC_URL, TRUSTED_PROXIES }: Config) =>
  PUBLIC_URL.startsWith('https:') && TRUSTED_PROXIES.length === 0;
