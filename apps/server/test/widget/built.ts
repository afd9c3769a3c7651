import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import { buildWidget } from '../../../../packages/widget/build.ts';

const widget = resolve(import.meta.dirname, '../../../../packages/widget');
const sources = ['src', 'locales', 'build.ts', 'package.json'].map((name) => join(widget, name));

/** The version of `npm run build:widget`, unless a source has changed since then. */
function freshVersion(): string | undefined {
  const manifest = join(widget, 'dist/manifest.json');
  if (!existsSync(manifest)) return undefined;
  const files = sources.flatMap((source) => [source, ...filesIn(source)]); // also folders, from which files were removed
  const isFresh = files.every((file) => statSync(file).mtimeMs < statSync(manifest).mtimeMs);
  return isFresh ? (JSON.parse(readFileSync(manifest, 'utf8')) as { current: string }).current : undefined;
}
const filesIn = (folder: string) =>
  statSync(folder).isDirectory()
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
    : [];

/**
 * The built widget in its own folder. Built once for all test files, by the first one that needs it, or copied from a build
 * of the same sources, because a build takes five seconds of CPU.
 */
export async function builtWidget() {
  const shared = inject('widgetDir');
  const isDone = join(shared, 'done');
  if (isFirst(shared)) {
    let version = freshVersion();
    if (version !== undefined)
      for (const name of ['dist', 'maps']) cpSync(join(widget, name), join(shared, name), { recursive: true });
    else ({ version } = await buildWidget(join(shared, 'dist'), join(shared, 'maps')));
    writeFileSync(isDone, version);
  }
  for (let attempts = 0; !existsSync(isDone); attempts++) {
    if (attempts > 600) throw new Error('the widget was not built');
    await sleep(100);
  }
  const own = mkdtempSync(join(tmpdir(), 'widget-'));
  cpSync(shared, own, { recursive: true });
  const dir = join(own, 'dist');
  const names = readdirSync(dir).filter((name) => !/\.(br|gz)$/.test(name));
  return {
    dir,
    version: readFileSync(isDone, 'utf8'),
    files: new Map(names.map((name) => [name, readFileSync(join(dir, name))])),
    remove: () => rmSync(own, { recursive: true, force: true }),
  };
}

function isFirst(dir: string): boolean {
  try {
    mkdirSync(dir);
    return true;
  } catch {
    return false;
  }
}
