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
    adminUrl: string;
  }
}

/** One product for all stories; each signs up, or works in a tenant of its own. */
export default async function setup(project: TestProject) {
  const isBuilt =
    existsSync(join(repository, 'apps/portal/build/server/index.js')) &&
    existsSync(join(repository, 'packages/widget/dist')) &&
    existsSync(join(repository, 'apps/docs/dist/policy.txt'));
  const { demo, settings, portal, adminUrl, stop } = await startProduct({ name: 'e2e', keep: false, isBuilt });
  project.provide('demo', demo);
  project.provide('settings', settings);
  project.provide('portal', portal);
  project.provide('adminUrl', adminUrl);
  return stop;
}
