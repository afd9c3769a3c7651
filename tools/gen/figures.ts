// Writes docs/figures/benchmarks.md from the results of benchmarks in bench/results.
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { benches } from '../../bench/benches.ts';
import { pageOf } from '../../bench/figures/page.ts';
import { publishedRuns } from '../../bench/figures/runs.ts';
import { writeGenerated } from './write.ts';

const folder = resolve(import.meta.dirname, '../../docs/figures');
mkdirSync(folder, { recursive: true });
const titles = Object.fromEntries(Object.entries(benches).map(([name, { title }]) => [name, title]));
writeGenerated(`${folder}/benchmarks.md`, pageOf(titles, publishedRuns()));
