import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { freePort } from '../../../../tools/stack/index.ts';

const portsOf = (count: number) => Promise.all(Array.from({ length: count }, () => freePort()));

test('no port is given out twice, by this process or by another that runs at the same time', async () => {
  const own = await portsOf(120); // more than a block
  const script = `
    const { freePort } = await import(${JSON.stringify(import.meta.resolve('../../../../tools/stack/index.ts'))});
    const ports = [];
    for (let n = 0; n < 500; n++) ports.push(await freePort());
    console.log(JSON.stringify(ports));`;
  const others = JSON.parse(
    spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' }).stdout,
  ) as number[];
  expect(others).toHaveLength(500);
  expect(new Set([...own, ...others]).size).toBe(620);
});
