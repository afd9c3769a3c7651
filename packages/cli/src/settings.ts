import { homedir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';

/** What the environment says. Read here and nowhere else. */
export const settings = () => ({
  apiUrl: env['PARLEY_API_URL'],
  keyId: env['PARLEY_KEY_ID'],
  key: env['PARLEY_KEY'],
  profile: env['PARLEY_PROFILE'],
  webhookId: env['PARLEY_WEBHOOK_ID'],
  configDir: join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'parley'),
});

/** Before anything is written: colours follow this word everywhere (https://no-color.org). */
export const turnColourOff = () => {
  env['NO_COLOR'] = '1';
  delete env['FORCE_COLOR'];
};
