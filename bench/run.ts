// `npm run bench -- keys`: ratios within one run, so that they are comparable between machines. docs/adr/0070-figures.md
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { benches } from './benches.ts';
import * as gate from './figures/gate.ts';
import { folders, measureRun, save } from './figures/runs.ts';

/** What `--full` publishes. The others take long, or change rarely: `npm run bench -- NAME --save`. */
const full = ['keys', 'login', 'chat', 'actions', 'scale', 'position-lock', 'memory'];

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean' },
    save: { type: 'boolean' },
    full: { type: 'boolean' },
    quick: { type: 'boolean' },
    accept: { type: 'boolean' },
    slowed: { type: 'string' },
  },
});
const [name = ''] = positionals;
const bench = benches[name];

if (options.quick)
  process.exitCode = await gate.checkQuick(options.slowed === undefined ? undefined : Number(options.slowed));
else if (options.accept) await gate.acceptQuick();
else if (options.full) {
  const failed = full.filter((one) => run(process.execPath, 'bench/run.ts', one, '--save') !== 0);
  if (failed.length > 0) console.error(`failed: ${failed.join(', ')}`);
  process.exitCode = failed.length;
} else if (bench) {
  const figures = await measureRun(name, await bench.load());
  save(figures, folders.last);
  if (options.save) {
    save(figures, folders.published);
    run(process.execPath, 'tools/gen/figures.ts');
  }
  if (options.json) console.log(JSON.stringify(figures, null, 2));
} else {
  console.error(
    `Choose one: ${Object.keys(benches).join(', ')}; or --quick, --full. For example: npm run bench -- keys`,
  );
  process.exitCode = 2;
}

function run(command: string, ...args: string[]) {
  return spawnSync(command, args, { stdio: 'inherit' }).status;
}
