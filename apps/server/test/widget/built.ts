import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import { buildWidget } from '../../../../packages/widget/build.ts';

/** The built widget in its own folder. Built once for all test files, by the first one that needs it. */
export async function builtWidget() {
  const shared = inject('widgetDir');
  const isDone = join(shared, 'done');
  if (isFirst(shared)) {
    const { version } = await buildWidget(join(shared, 'dist'), join(shared, 'maps'));
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
