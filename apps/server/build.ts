// `npm run build:server`: API, worker and commands as a deployment runs them, in few files. Loading a thousand small ones
// took longer than everything else that a process does before it is ready.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { productVersion } from './src/platform/product-version.ts';

const here = import.meta.dirname;
const entries = [
  'src/api.ts',
  'src/worker.ts',
  'src/cli.ts',
  'src/features/knowledge/ingest/reader/reader-thread.ts',
  'src/features/knowledge/embed/embed-thread.ts',
];

/**
 * Not bundled: native code, packages that read files from their own folder, and packages that are imported only when needed
 * (bundled CommonJS would lose its named exports).
 */
export const external = [
  '@node-rs/argon2',
  '@opentelemetry/*',
  join(here, 'onnx/runtime.js'),
  'pg-native',
  '@fastify/swagger',
  '@scalar/fastify-api-reference',
  '@mozilla/readability',
  'jszip',
  'linkedom',
  'mammoth',
  'turndown',
  'unpdf',
];

const requireInstead = (name: string) => `module.exports = require('${name}')`;
/**
 * What is loaded instead of these modules. `import` of `node:http` reads all that it exports, and one of them, `WebSocket`,
 * makes Node load its own copy of undici; `require` does not. The index of undici loads that copy too, and half of itself for
 * `fetch`, caches and mocks that we do not use. Together, this was a tenth of the start.
 */
const lighter: Record<string, string> = {
  'node:http': requireInstead('node:http'),
  'node:https': requireInstead('node:https'),
  undici: `
    import methods from 'undici/lib/api/index.js';
    import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
    Object.assign(Dispatcher.prototype, methods); // as its index does
    export { default as Client } from 'undici/lib/dispatcher/client.js';
    export { default as Pool } from 'undici/lib/dispatcher/pool.js';`,
};
const lighterModules: Plugin = {
  name: 'lighter-modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:https?|undici)$/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'lighter' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'lighter' }, ({ path }) => ({ contents: lighter[path] ?? '', resolveDir: here }));
  },
};

/**
 * Every entry becomes a file of its name in `outdir`, which has to lie in this package. What is imported dynamically becomes
 * a separate file, which is read when it is needed. Returns what is in which file.
 */
export async function buildServer(outdir: string, moreEntries: readonly string[] = []): Promise<Metafile> {
  rmSync(outdir, { recursive: true, force: true });
  const { metafile } = await build({
    entryPoints: [...entries, ...moreEntries].map((entry) => join(here, entry)),
    entryNames: '[name]',
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    external,
    plugins: [lighterModules],
    define: { 'process.env.PARLEY_VERSION': JSON.stringify(productVersion) },
    // Less to read and to keep: with comments, many files are not Latin-1 and take two bytes per character. Names stay, for
    // stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 200,
    sourcemap: true,
    sourcesContent: false,
    // Packages in CommonJS call `require` for what Node brings along.
    banner: {
      js: "import { createRequire as createRequireHere } from 'node:module'; const require = createRequireHere(import.meta.url);",
    },
    logLevel: 'warning',
    metafile: true,
  });
  return metafile;
}

if (import.meta.main) {
  const [outdir = join(here, 'dist'), ...moreEntries] = process.argv.slice(2);
  await buildServer(outdir, moreEntries);
}
