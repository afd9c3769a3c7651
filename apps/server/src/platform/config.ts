import { resolve } from 'node:path';
import { z } from 'zod';
import { keySettings } from './key-settings.ts';
import { packageDir } from './paths.ts';
import { readSecretFiles, type Environment } from './secret-files.ts';
import { Settings, type Config, type SettingProblem } from './settings.ts';
import { unsafeSettings } from './unsafe-settings.ts';

export { Issuer, type Client, type Config } from './settings.ts';

/** Tells an operator what to do, without a stack trace. */
export class UnsafeConfig extends Error {
  constructor(message: string) {
    super(message);
    this.stack = message;
  }
}

/** All problems of the settings. No `config` if one of them is invalid. */
export function inspectConfig(env: Environment): { config?: Config; problems: SettingProblem[] } {
  const { data: settings, problems } = parse(Settings, env);
  if (!settings) return { problems };
  const config: Config = {
    ...settings,
    CDN_URL: (settings.CDN_URL ?? `${settings.PUBLIC_URL.replace(/\/$/, '')}/cdn`).replace(/\/$/, ''),
    WIDGET_DIR: settings.WIDGET_DIR ?? resolve(packageDir, '../../packages/widget/dist'),
  };
  if (config.SIGN_UP_CHECK === 'captcha' && !config.CAPTCHA)
    return { problems: [invalid(['CAPTCHA', 'SIGN_UP_CHECK'], 'SIGN_UP_CHECK is captcha: set CAPTCHA.')] };
  return { config, problems: config.PARLEY_ENV === 'production' ? unsafeSettings(config) : [] };
}

/** For `check`, which also looks at the files that contain secrets. */
export const processEnvironment = (): Environment => process.env;

/** Called once by each entry point. Nothing else may read the environment. */
export function loadConfig(env: Environment = process.env): Config {
  const { config, problems } = inspectConfig(env);
  if (!config) throw invalidConfiguration(problems);
  if (problems.length > 0) throw new UnsafeConfig(`Refusing to start:\n${linesOf(problems)}`);
  return config;
}

/** For CLI commands, which use the database and the key services in MASTER_KEYS only. */
export const loadDatabaseUrl = () => read(Settings.pick({ DATABASE_URL: true }), process.env).DATABASE_URL;
export const loadRestateSettings = () =>
  read(Settings.pick({ RESTATE_ADMIN_URL: true, RESTATE_ADMIN_TOKEN: true }), process.env);
export const loadKeySettings = () =>
  read(
    Settings.pick({ PUBLIC_URL: true, EGRESS_OPEN_HOSTS: true, EGRESS_CA_FILE: true }).extend(keySettings),
    process.env,
  );

function read<S extends z.ZodObject>(settings: S, env: Environment): z.output<S> {
  const { data, problems } = parse(settings, env);
  if (!data) throw invalidConfiguration(problems);
  return data;
}

function parse<S extends z.ZodObject>(
  settings: S,
  given: Environment,
): { data?: z.output<S>; problems: SettingProblem[] } {
  const { env, problems: fileProblems } = readSecretFiles(settings, given);
  const parsed = settings.safeParse(
    Object.fromEntries(Object.keys(settings.shape).map((name) => [name, env[name] || undefined])),
  );
  const unread = fileProblems.map(({ setting }) => setting);
  const problems = [
    ...fileProblems.map(({ setting, message }) => invalid([setting], message)),
    ...(parsed.error?.issues ?? [])
      .filter(({ path: [setting] }) => !unread.includes(String(setting)))
      .map(({ path, message }) => {
        const setting = String(path[0]);
        if (!env[setting]) return invalid([setting], `${setting} is required, but not set.`);
        return invalid([setting], `${z.core.toDotPath(path)}: ${message.replace(/\.$/, '')}.`);
      }),
  ];
  return parsed.success && problems.length === 0 ? { data: parsed.data, problems } : { problems };
}

const invalid = (settings: string[], message: string): SettingProblem => ({ kind: 'invalid', settings, message });
const linesOf = (problems: SettingProblem[]) => problems.map(({ message }) => `- ${message}`).join('\n');
const invalidConfiguration = (problems: SettingProblem[]) =>
  new UnsafeConfig(`Invalid configuration:\n${linesOf(problems)}`);
