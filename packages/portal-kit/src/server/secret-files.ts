import { readFileSync } from 'node:fs';
import type { z } from 'zod';

// The same rules as in apps/server/src/platform/secret-files.ts, which the portals do not contain.

type Environment = Record<string, string | undefined>;

/** Marks a setting that can also be given as a file: `X_FILE` is the path of a file that contains `X`. */
export const secret = <S extends z.ZodType>(schema: S): S => schema.meta({ secret: true });

/** The environment with the content of secret files. Errors name the file and never contain what is in it. */
export function readSecretFiles(settings: z.ZodObject, env: Environment): { env: Environment; problems: string[] } {
  const values: Environment = {};
  const problems: string[] = [];
  for (const [name, schema] of Object.entries(settings.shape)) {
    const file = (schema as z.ZodType).meta()?.['secret'] === true ? env[`${name}_FILE`] : undefined;
    if (!file) continue;
    if (env[name]) {
      problems.push(`${name} and ${name}_FILE are both set. Remove one of them.`);
      continue;
    }
    try {
      values[name] = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
      if (!values[name]) problems.push(`${name}_FILE: ${file} is empty.`);
    } catch (error) {
      const { code = 'unknown error' } = error as NodeJS.ErrnoException;
      problems.push(`${name}_FILE: ${file} cannot be read (${code}).`);
    }
  }
  return { env: { ...env, ...values }, problems };
}
