import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { isFull } from '../../tools/testing/size.ts';
import { firstChat } from './first-chat.ts';
import { checkComposeFile, followStarts, inspectContainers, scanPorts } from './hardening.ts';
import { imageSizes, installFromTarball } from './install.ts';
import { openRecords, startLoad } from './load.ts';
import { docker, saveLogs } from './machine.ts';
import { makeNextVersion } from './next-version.ts';
import { apiUrl, openOutside } from './outside.ts';
import { steps } from './steps.ts';
import { aStopwatch, megabytes, printTable, seconds } from './table.ts';
import { callNewHandler, rollBack, upgrade, upgradeWithKill } from './upgrade.ts';

const number = (name: string, sample: number, full: number) => Number(process.env[name] ?? (isFull ? full : sample));
const tarball = resolve(process.env['DRILL_TARBALL'] ?? '');
/** 5 is what two cores can do that also run the visitors and the tenant's backend. */
const chatsPerSecond = number('DRILL_CHATS_PER_SECOND', 2, 5);
const parts = (process.env['DRILL_PARTS'] || 'install upgrade').split(' ');
/** From an empty machine to an answer in the widget. */
const maxInstallSeconds = number('DRILL_INSTALL_SECONDS', 300, 300);

/** The next patch version. */
const nextAfter = (version: string) => version.replace(/\d+$/, (patch) => String(Number(patch) + 1));

/** Kept after the run. */
const results = resolve('.stack/drill');
rmSync(results, { recursive: true, force: true });
mkdirSync(results, { recursive: true });

const outside = await openOutside();
const watch = aStopwatch();
const starts = followStarts();
/** A moment after the backup, in PostgreSQL's notation. */
let restoreTo = '';
let installed: Awaited<ReturnType<typeof installFromTarball>>;
afterAll(() => saveLogs(results));

test('an empty machine without a network answers a chat in the widget', async () => {
  installed = await installFromTarball(tarball, outside, watch);
  await firstChat(installed.admin, outside, watch, join(results, 'chat.png'));
  printTable(
    'From an empty machine to an answered chat',
    ['step', 'time'],
    [...watch.steps.map(({ name, ms }) => [name, seconds(ms)]), ['together', seconds(watch.total())]],
  );
  expect(watch.total() / 1_000).toBeLessThanOrEqual(maxInstallSeconds);
});

test('containers are read-only, without root and without capabilities', async () => {
  // The first backup is made after everything else has started.
  await expect.poll(() => docker('ps', '--quiet', '--filter', 'health=starting'), { timeout: 300_000 }).toBe('');
  const facts = await inspectContainers(starts);
  starts.stop();
  const sizes = await imageSizes();
  printTable(
    'Images',
    ['image', 'size'],
    sizes.map(([name, bytes]) => [name, megabytes(bytes)]),
  );
  printTable(
    'Containers',
    ['service', 'user', 'capabilities', 'read-only', 'no new privileges', 'memory', 'limit', 'ready after', 'problems'],
    facts.map((one) => [
      one.service,
      String(one.user),
      one.capabilities,
      one.isReadOnly ? 'yes' : 'no',
      one.hasNoNewPrivileges ? 'yes' : 'no',
      megabytes(one.memoryBytes),
      megabytes(one.memoryLimit),
      one.readyMs === null ? '' : seconds(one.readyMs),
      one.problems.join(', '),
    ]),
  );
  expect(facts.length).toBeGreaterThan(7);
  expect(facts.flatMap(({ service, problems }) => problems.map((problem) => `${service} ${problem}`))).toEqual([]);
});

test('the compose file has no warning, and images have fixed versions', async () => {
  expect(await checkComposeFile(installed.session.cwd())).toEqual([]);
});

test('only 80 and 443 are open from outside', async () => {
  const open = await scanPorts();
  console.log(`drill: open ports from outside: ${open.join(', ')}`);
  expect(open).toEqual([80, 443]);
});

test('the commands that operators type work', async () => {
  const { session } = installed;
  for (const step of steps.slice(steps.indexOf('ps'), steps.indexOf('load-next')))
    console.log((await watch.step(`documented: ${step}`, () => session.run(step))).slice(-1_500));
  restoreTo = new Date().toISOString().replace('T', ' ').replace('Z', '+00');
});

test.runIf(parts.includes('upgrade'))(
  'an upgrade and a roll-back under load lose nothing and fail no request',
  async () => {
    const { session, version } = installed;
    const timings = aStopwatch();
    const next = nextAfter(version);
    await timings.step(`make a release ${next}`, () => makeNextVersion(version, next, session.cwd()));
    session.set('NEXT_VERSION', next);
    await timings.step('load its images', () => session.run('load-next'));
    const records = await openRecords(session.cwd());
    const load = await startLoad(records, outside, chatsPerSecond);
    onTestFinished(async () => {
      load.end();
      const { requests, failed } = load.traffic;
      console.log(
        `drill: ${load.visits()} chats, ${requests} requests, ${failed.length} failed: ${failed.slice(0, 20).join('; ')}`,
      );
      await records.close(); // or its relays would keep this process alive
    });
    await expect.poll(load.visits).toBeGreaterThan(chatsPerSecond * 5);

    await upgrade(records, session, next, timings);
    expect(await callNewHandler(records)).toBe('200 "Hello, Ada"');
    await rollBack(records, session, version, timings);
    const stranded = await upgradeWithKill(records, session, next, timings);
    const { traffic } = load;
    const { visitors, delivered, lasted, tally } = await load.stop();

    printTable(
      'Upgrade, roll back, and upgrade with kill -9',
      ['step', 'time'],
      timings.steps.map(({ name, ms }) => [name, seconds(ms)]),
    );
    printTable(
      'Under load',
      ['what', 'count'],
      [
        ['lasted', seconds(lasted * 1_000)],
        ['chats', `${visitors} (${(visitors / lasted).toFixed(1)}/s)`],
        ['deliveries', `${delivered} (${(delivered / lasted).toFixed(1)}/s)`],
        ['requests at the proxy', String(traffic.requests)],
        ['failed', String(traffic.failed.length)],
        ['over a rate limit', String(traffic.limited)],
        ['streams that broke', String(traffic.brokenStreams)],
        ['slowest response', seconds(traffic.slowestMs)],
        ['invocations in flight at the kill', String(stranded)],
        ['actions', JSON.stringify(tally)],
      ],
    );
    expect(delivered).toBeGreaterThanOrEqual(visitors * 4);
    expect(traffic.failed).toEqual([]);
  },
);

test('a backup is restored, and nothing is left after the end', async () => {
  const { session } = installed;
  session.set('RESTORE_TO', restoreTo);
  console.log(await watch.step('documented: restore', () => session.run('restore')));
  await expect.poll(async () => (await fetch(`${apiUrl}/health/ready`)).status).toBe(200);
  await watch.step('documented: stop', () => session.run('stop'));
  await watch.step('documented: uninstall', () => session.run('uninstall'));
  expect(await docker('volume', 'ls', '--quiet')).toBe('');
  expect(await docker('image', 'ls', '--quiet', '--filter', 'reference=parley/*')).toBe('');
  if (parts.includes('upgrade')) expect(session.untyped()).toEqual([]);
});
