import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { repository } from '../tools/demo/processes.ts';
import { startProduct } from '../tools/demo/product.ts';

type Product = Awaited<ReturnType<typeof startProduct>>;

declare module 'vitest' {
  interface ProvidedContext {
    demo: Product['demo'];
    settings: Product['settings'];
    portal: Product['portal'];
    databaseUrl: string;
  }
}

/** One product for all tests; each signs up or works in its own tenant. */
export default async function setup(project: TestProject) {
  const isBuilt =
    ['portal', 'admin'].every((name) => existsSync(join(repository, `apps/${name}/build/server/index.js`))) &&
    existsSync(join(repository, 'packages/widget/dist')) &&
    existsSync(join(repository, 'apps/server/dist/api.js')) &&
    existsSync(join(repository, 'apps/docs/dist/policy.txt'));
  const { demo, settings, portal, databaseUrl, stop } = await startProduct({ name: 'e2e', keep: false, isBuilt });
  project.provide('demo', demo);
  project.provide('settings', settings);
  project.provide('portal', portal);
  project.provide('databaseUrl', databaseUrl);
  return stop;
}
