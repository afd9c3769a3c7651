import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './processes.ts';

interface Demo {
  apiUrl: string;
  serverKeyId: string;
  serverKey: string;
  admin: { totpSecret: string };
}

/** The file that the running demo wrote, or the one in DEMO_FILE. */
export function readDemo(): Demo {
  const file = process.env['DEMO_FILE'] ?? join(repository, '.demo.json');
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Demo;
  } catch {
    console.error('The demo isn’t running. Start it with `npm run demo`.');
    process.exit(1);
  }
}
