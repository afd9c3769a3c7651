import { brotliCompressSync, constants } from 'node:zlib';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reactRouter } from '@react-router/dev/vite';
import { defineConfig, type Plugin } from 'vite';

/** Compressed once, when built, and not for everybody who asks. */
const compressed: Plugin = {
  name: 'compressed',
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

/** Icons one by one: their package is one list of some six thousand, which takes a build fifteen seconds to read. */
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

/** Loaded at run time by the server and by what it renders: bundled, each would have one of its own. */
const sharedContext: Plugin = {
  name: 'shared-context',
  enforce: 'pre',
  resolveId: (id, _importer, { ssr }) => (ssr && id === '@parley/portal-kit/context' ? { id, external: true } : null),
};

/** How a portal is built: our own package and the components go into its bundle, what it shares with its server does not. */
export const portalVite = (root: string) =>
  defineConfig({
    root,
    plugins: [sharedContext, singleIcons, reactRouter(), compressed],
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
