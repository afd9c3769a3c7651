import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const page = readFileSync(join(import.meta.dirname, '../../../docs/operators/logs.md'), 'utf8');
/** What the first column of the tables below a heading names. */
const namesBelow = (heading: string) => {
  const section = page.slice(page.indexOf(`## ${heading}`)).split(/^## /m)[1] ?? '';
  return [...section.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  );
};

/** The fields and messages in docs/operators/logs.md. */
export const documentedFields = () => namesBelow('Fields');
export const documentedMessages = () => namesBelow('Messages to search for');
