import { parseArgs } from 'node:util';
import { profileNames, type ProfileName } from './profiles.ts';

export interface LoadOptions {
  profile: ProfileName;
  /** Visitors' messages per second, at a rate of 1. */
  size: number;
  /** The profile's own, if undefined. */
  minutes: number | undefined;
  tenants: number;
  seed: number;
  /** A file that describes the deployment; without one and without a URL, one is started. */
  config: string | undefined;
  url: string | undefined;
  out: string;
  isBuilt: boolean;
  /** Looks for the largest size that meets all objectives, with short runs. */
  isFinding: boolean;
  /** Also keeps the result where the documentation is generated from. */
  isSaved: boolean;
}

export const usage = `npm run load -- --profile ${profileNames.join('|')} [options]

  --size N       visitors' messages per second (default 5)
  --minutes N    duration; profiles have their own
  --tenants N    tenants of the stack that it starts (default 40)
  --seed N       repeats the same arrivals (default 1)
  --config FILE  a running deployment: .demo.json, or a file like it with several tenants
  --url URL      the API of that deployment, if it is not the one in the file (default file: .demo.json)
  --out FILE     where the result goes, without an extension (default .stack/load/PROFILE-TIME)
  --built        does not build the server and the portal first
  --find         looks for the largest size that meets all objectives: doubles it, then narrows it down
  --save         publishes the result in load/results and docs/figures/load.md`;

/** Throws with what is wrong. */
export function readOptions(args: readonly string[], now = new Date()): LoadOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      profile: { type: 'string', default: 'steady' },
      size: { type: 'string', default: '5' },
      minutes: { type: 'string' },
      tenants: { type: 'string', default: '40' },
      seed: { type: 'string', default: '1' },
      config: { type: 'string' },
      url: { type: 'string' },
      out: { type: 'string' },
      built: { type: 'boolean', default: false },
      find: { type: 'boolean', default: false },
      save: { type: 'boolean', default: false },
    },
  });
  const profile = profileNames.find((name) => name === values.profile);
  if (!profile) throw new Error(`--profile must be one of ${profileNames.join(', ')}`);
  const positive = (name: string, text: string, { whole = false } = {}) => {
    const value = Number(text);
    if (!(value > 0) || !Number.isFinite(value) || (whole && !Number.isInteger(value)))
      throw new Error(`--${name} must be a ${whole ? 'whole ' : ''}number above 0`);
    return value;
  };
  if (values.find && profile !== 'steady') throw new Error('--find is for the profile steady');
  const time = now.toISOString().slice(0, 19).replaceAll(':', '');
  return {
    profile,
    size: positive('size', values.size),
    minutes: values.minutes === undefined ? (values.find ? 3 : undefined) : positive('minutes', values.minutes),
    tenants: positive('tenants', values.tenants, { whole: true }),
    seed: positive('seed', values.seed, { whole: true }),
    config: values.config ?? (values.url === undefined ? undefined : '.demo.json'),
    url: values.url,
    out: values.out ?? `.stack/load/${profile}-${time}`,
    isBuilt: values.built,
    isFinding: values.find,
    isSaved: values.save,
  };
}
