#!/usr/bin/env node
// Not the build itself: `npm ci` links a command only if its file exists, and the build comes after it.
import { existsSync } from 'node:fs';

const built = new URL('../dist/cli.js', import.meta.url);
if (!existsSync(built)) {
  console.error('parley-server is not built yet. Run `npm run build:server` first.');
  process.exit(1);
}
await import(built.href);
