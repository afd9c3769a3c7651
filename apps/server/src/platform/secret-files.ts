import { readFileSync } from 'node:fs';
import type { z } from 'zod';

export type Environment = Record<string, string | undefined>;

/** Marks a setting that can also be given as a file: `X_FILE` is the path of a file that contains `X`. */
export const secret = <S extends z.ZodType>(schema: S): S => schema.meta({ secret: true });

/** The secret settings of this schema. */
export const secretNames = (settings: z.ZodObject): string[] =>
  Object.entries(settings.shape).flatMap(([name, schema]) =>
    (schema as z.ZodType).meta()?.['secret'] === true ? [name] : [],
  );

export interface FileProblem {
  setting: string;
  message: string;
}

/** The environment with the content of secret files. Errors name the file and never contain what is in it. */
export function readSecretFiles(
  settings: z.ZodObject,
  env: Environment,
): { env: Environment; problems: FileProblem[] } {
  const values: Environment = {};
  const problems: FileProblem[] = [];
  for (const setting of secretNames(settings)) {
    const file = env[`${setting}_FILE`];
    if (!file) continue;
    if (env[setting]) {
      problems.push({ setting, message: `${setting} and ${setting}_FILE are both set. Remove one of them.` });
      continue;
    }
    try {
      values[setting] = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
      if (!values[setting]) problems.push({ setting, message: `${setting}_FILE: ${file} is empty.` });
    } catch (error) {
      const { code = 'unknown error' } = error as NodeJS.ErrnoException;
      problems.push({ setting, message: `${setting}_FILE: ${file} cannot be read (${code}).` });
    }
  }
  return { env: { ...env, ...values }, problems };
}
