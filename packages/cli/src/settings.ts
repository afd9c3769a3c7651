import { homedir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';

/** The only place that reads environment variables. */
export const settings = () => ({
  apiUrl: env['PARLEY_API_URL'],
  keyId: env['PARLEY_KEY_ID'],
  key: env['PARLEY_KEY'],
  profile: env['PARLEY_PROFILE'],
  webhookId: env['PARLEY_WEBHOOK_ID'],
  configDir: join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'parley'),
});

/** Must run before any output: libraries check it too (https://no-color.org). */
export const disableColours = () => {
  env['NO_COLOR'] = '1';
  delete env['FORCE_COLOR'];
};
