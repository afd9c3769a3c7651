import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';
import { installIn } from '../../../tools/packages.ts';
import { startStack } from '../../../tools/stack/index.ts';
import { connect } from '../src/platform/db.ts';
import { createRoles, migrate } from '../src/migrate.ts';
import { sql } from 'kysely';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
    valkeyUrl: string;
    template: string;
    /** Whether the files of a vitest worker share database, API and Restate. Set by each project. */
    isShared: boolean;
    /** Data folder of servers that tests start. They stop with the run at the latest. */
    runDir: string;
    /** Build output of the server, created by the first test that needs it. */
    serverDir: string;
    /** Build output of the widget, created by the first test that needs it. */
    widgetDir: string;
  }
}

/** Starts real servers for the whole run, and creates the migrated template database. */
export default async function setup(project: TestProject) {
  installIn('apps/server/onnx'); // once: test files that need it run at the same time
  const stack = await startStack('test', { keep: false });
  const template = 'parley_template';
  const root = connect(stack.postgres.adminUrl, { connectMs: 60_000, queryMs: 120_000 });
  await createRoles(root);
  await sql`create database ${sql.id(template)} owner parley_owner`.execute(root);
  await root.destroy();

  const owner = connect(databaseUrl(stack.postgres.adminUrl, template, 'parley_owner'), {
    connectMs: 60_000,
    queryMs: 120_000,
  });
  await migrate(owner);
  await owner.destroy();

  project.provide('postgresUrl', stack.postgres.adminUrl);
  project.provide('valkeyUrl', stack.valkey.url);
  project.provide('template', template);
  project.provide('runDir', stack.dir);
  const serverDir = resolve(import.meta.dirname, `../dist/${basename(stack.dir)}`);
  project.provide('serverDir', serverDir);
  const widgetDir = join(tmpdir(), `widget-of-${process.pid}`);
  project.provide('widgetDir', widgetDir);
  mkdirSync(dirname(serverDir), { recursive: true });
  return async () => {
    for (const dir of [serverDir, `${serverDir}.lock`]) rmSync(dir, { recursive: true, force: true });
    rmSync(widgetDir, { recursive: true, force: true });
    await stack.stop();
  };
}

const databaseUrl = (base: string, database: string, username: string) =>
  Object.assign(new URL(base), { pathname: database, username }).href;
