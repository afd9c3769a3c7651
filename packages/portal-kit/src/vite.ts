import { brotliCompressSync, constants } from 'node:zlib';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reactRouter } from '@react-router/dev/vite';
import { defineConfig, type Plugin } from 'vite';

/** Compresses assets at build time, so that the server doesn't for each request. */
const compressAssets: Plugin = {
  name: 'compress-assets',
  apply: 'build',
  enforce: 'post',
  writeBundle({ dir }) {
    if (!dir?.endsWith('client')) return;
    for (const entry of readdirSync(join(dir, 'assets'), { withFileTypes: true })) {
      if (!/\.(js|css|svg)$/.test(entry.name)) continue;
      const file = join(dir, 'assets', entry.name);
      const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
      writeFileSync(`${file}.br`, brotliCompressSync(readFileSync(file), { params }));
    }
  },
};

/** Imports each icon from its own file: the package's index has about six thousand, which adds 15 seconds to a build. */
const singleIcons: Plugin = {
  name: 'single-icons',
  enforce: 'pre',
  transform(code, id) {
    if (id.includes('node_modules') || !code.includes("'@tabler/icons-react'")) return null;
    return code.replaceAll(/import\s*\{([^{}]*)\}\s*from\s*'@tabler\/icons-react';/g, (_all, names: string) =>
      names
        .split(',')
        .map((name) => name.trim())
        .filter(Boolean)
        .map((name) => `import ${name} from '@tabler/icons-react/dist/esm/icons/${name}.mjs';`)
        .join(' '),
    );
  },
};

/** Keeps the context out of the server bundle: the portal's server imports it too, and both must get the same module. */
const sharedContext: Plugin = {
  name: 'shared-context',
  enforce: 'pre',
  resolveId: (id, _importer, { ssr }) => (ssr && id === '@parley/portal-kit/context' ? { id, external: true } : null),
};

/** The Vite configuration of a portal. Its server bundle includes this package and the UI components. */
export const portalVite = (root: string) =>
  defineConfig({
    root,
    plugins: [sharedContext, singleIcons, reactRouter(), compressAssets],
    ssr: { noExternal: [/^@mantine\//, /^@tabler\//, /^@parley\/portal-kit\/(ui|service|entry-server|base)/] },
    optimizeDeps: { include: ['@mantine/core', '@mantine/hooks'], exclude: ['@tabler/icons-react'] },
    build: {
      target: 'es2023',
      sourcemap: false,
      reportCompressedSize: false,
      rolldownOptions: { checks: { pluginTimings: false } },
    },
    clearScreen: false,
  });
