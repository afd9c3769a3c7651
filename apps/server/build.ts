// `npm run build:server`: API, worker and commands as a deployment runs them, in few files. Loading a thousand small ones
// took longer than everything else that a process does before it is ready.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
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
    define: { 'process.env.PARLEY_VERSION': JSON.stringify(productVersion) },
    // Less to read and to keep: with comments, many files are not Latin-1 and take two bytes per character. Only white space:
    // shorter syntax loses the names of classes, by which oidc-provider finds how long a session or token is valid.
    minifyWhitespace: true,
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
