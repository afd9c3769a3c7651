// `node test/faults/build.ts DIR`: the server with the entry points of tests, and the record of what is in which file.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildServer } from '../../build.ts';

const moreEntries = [
  ...['events-api', 'events-relay', 'emails-mailer'].map((name) => `test/faults/${name}.ts`),
  'test/migrations/migrator.ts',
  'test/rules/event-loop-child.ts',
];
const [dir = ''] = process.argv.slice(2);
const metafile = await buildServer(dir, moreEntries);
writeFileSync(join(dir, 'metafile.json'), JSON.stringify(metafile));
