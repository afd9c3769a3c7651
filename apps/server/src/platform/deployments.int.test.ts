import { rmSync } from 'node:fs';
import { iface, implement, type ObjectContext } from '@restatedev/restate-sdk';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { freePort, startRestate } from '../../../../tools/stack/index.ts';
import { ownDir } from '../../test/harness.ts';
import { drainDeployment, listDeployments, removeDeployment } from '../deployment-commands.ts';
import { countInvocations, openDeployments } from './deployments.ts';
import type { ProcessInfo } from './processes.ts';
import { keepRegistered } from './registration.ts';
import { connectRestate } from './restate-client.ts';
import { durableDefaults, serveDurable } from './restate.ts';
import { retireDeployments } from './retire-deployments.ts';
import { createLog, type Log } from './telemetry.ts';

const dir = ownDir('deployments');
const restate = await startRestate(dir, { partitions: 2 });
const deployments = openDeployments(restate.adminUrl);
const client = connectRestate(restate.ingressUrl);
const quiet = createLog('test', 'silent');
afterAll(async () => {
  await restate.kill();
  rmSync(dir, { recursive: true, force: true });
});

const jobObject = iface.object('Job', { work: iface.json<{ waitMs: number }, string>() });
const jobPlusObject = iface.object('Job', { work: iface.json<{ waitMs: number }, string>(), more: iface.json() });

/** What ran, as `version step key`. */
const ran: string[] = [];
const work =
  (version: string) =>
  async (ctx: ObjectContext, { waitMs }: { waitMs: number }) => {
    await ctx.run('first', () => void ran.push(`${version} first ${ctx.key}`));
    await ctx.sleep(waitMs);
    await ctx.run('second', () => void ran.push(`${version} second ${ctx.key}`));
    return version;
  };
const job = (version: string) => implement(jobObject, { options: durableDefaults, handlers: { work: work(version) } });
const jobPlus = (version: string) =>
  implement(jobPlusObject, { options: durableDefaults, handlers: { work: work(version), more: async () => {} } });
const news = implement(iface.object('News', { read: iface.json() }), {
  options: durableDefaults,
  handlers: { read: async () => {} },
});

interface WorkerOptions {
  port?: number;
  /** Has a handler that other builds of this version do not have. */
  hasMore?: boolean;
  /** Has a service that no other version has. */
  hasNews?: boolean;
  log?: Log;
}
async function startWorker(
  version: string,
  { port = 0, hasMore = false, hasNews = false, log = quiet }: WorkerOptions = {},
) {
  const services = [hasMore ? jobPlus(version) : job(version), ...(hasNews ? [news] : [])];
  const identityKeys = [restate.identityKey];
  const server = await serveDurable({ services, log, host: '127.0.0.1', port, identityKeys, version });
  const workerUrl = `http://127.0.0.1:${server.port}`;
  const registration = keepRegistered({ deployments, workerUrl, services, version, force: false, log, everyMs: 20 });
  const stop = async (graceSeconds = 0) => {
    await registration.stop();
    await server.stop(graceSeconds);
  };
  onTestFinished(() => stop());
  return { url: `${workerUrl}/v${version}`, isRegistered: registration.isRegistered, stop };
}
const registered = async (version: string, options?: WorkerOptions) => {
  const worker = await startWorker(version, options);
  await expect.poll(worker.isRegistered, { timeout: 10_000 }).toBe(true);
  return worker;
};
/** Starts an invocation and waits until its first step ran. */
async function start(key: string, waitMs: number) {
  await client.sendClient(jobObject, key).work({ waitMs });
  await expect.poll(() => ran.filter((line) => line.endsWith(`first ${key}`)).length, { timeout: 10_000 }).toBe(1);
}
const stepsOf = (key: string) => ran.filter((line) => line.endsWith(` ${key}`));
const invocationsOf = async (version: string) => {
  const one = (await deployments.listWithInvocations()).find((deployment) => deployment.version === version);
  return one && countInvocations(one);
};
/** Collects what the worker logs as errors. */
const errorsOf = () => {
  const errors: string[] = [];
  const log = Object.assign(createLog('test', 'silent'), {
    error: (fields: { err?: Error }, text: string) => void errors.push(`${text} ${fields.err?.message ?? ''}`),
  });
  return { log, errors };
};

test('200: an invocation stays on the version it started on, drain moves it to the latest, and no step runs twice', async () => {
  const old = await registered('1.0.0');
  await start('moved', 600_000);
  await registered('1.1.0');
  expect(await client.client(jobObject, 'new').work({ waitMs: 0 })).toBe('1.1.0');
  expect(await invocationsOf('1.0.0')).toBe(1);
  await expect(removeDeployment(deployments, '1.0.0', { print: () => {} })).rejects.toThrow('has invocations (1 ');
  await expect(drainDeployment(deployments, '1.1.0', { timeoutSeconds: 1, print: () => {} })).rejects.toThrow(
    'New work goes to 1.1.0',
  );
  await old.stop(); // as in an orderly stop, its invocation has suspended or waits for its next attempt

  const lines: string[] = [];
  await drainDeployment(deployments, '1.0.0', { timeoutSeconds: 60, print: (line) => lines.push(line), pollMs: 50 });
  expect(lines.at(-1)).toMatch('1.0.0 has no invocations');
  expect(await invocationsOf('1.1.0')).toBe(1);
  await removeDeployment(deployments, '1.0.0', { print: (line) => lines.push(line) });
  expect(lines.at(-1)).toBe('Removed 1.0.0.');
  const printed: string[] = [];
  await listDeployments(deployments, (line) => printed.push(line));
  expect(printed.join('\n')).toMatch(/^VERSION .*\n1\.1\.0 +yes +1 \w/);
  expect(stepsOf('moved')).toEqual(['1.0.0 first moved']);
}, 60_000);

test('drain waits until another version gets new work, if it should, and not for ever', async () => {
  await registered('1.2.0');
  const lines: string[] = [];
  const drain = (version: string, timeoutSeconds: number) =>
    drainDeployment(deployments, version, {
      timeoutSeconds,
      waitsForSuccessor: true,
      print: (line) => lines.push(line),
      pollMs: 50,
    });
  const draining = drain('1.2.0', 60);
  await expect.poll(() => lines.at(-1)).toMatch('Waiting until another version than 1.2.0');
  await registered('1.3.0');
  await draining;
  expect(lines.at(-1)).toMatch('1.2.0 has no invocations');
  await expect(drain('1.3.0', 0.1)).rejects.toThrow('New work goes to 1.3.0');
}, 60_000);

test('a worker that is gone: its invocation continues on the latest version, once, and its version is removed', async () => {
  const old = await registered('2.0.0');
  await start('stranded', 500);
  await registered('2.1.0');
  await old.stop();
  const processes = async () => [{ version: '2.1.0' } as ProcessInfo];
  const retire = () => retireDeployments({ deployments, listProcesses: processes, log: quiet });
  await expect
    .poll(
      async () => {
        await retire();
        return stepsOf('stranded');
      },
      { timeout: 30_000 },
    )
    .toEqual(['2.0.0 first stranded', '2.1.0 second stranded']);
  await expect
    .poll(
      async () => {
        await retire();
        return (await deployments.list()).map(({ version }) => version);
      },
      { timeout: 30_000 },
    )
    .toEqual(['2.1.0']);
}, 60_000);

test('a version with running workers is kept, although it has no invocations', async () => {
  await registered('2.2.0');
  await registered('2.3.0');
  const listProcesses = async () => ['2.2.0', '2.3.0'].map((version) => ({ version }) as ProcessInfo);
  await retireDeployments({ deployments, listProcesses, log: quiet });
  expect((await deployments.list()).map(({ version }) => version)).toContain('2.2.0');
}, 60_000);

test('error: a second build of the same version is not registered, because Restate would not know its handlers', async () => {
  const port = await freePort();
  await (await registered('3.0.0', { port })).stop();
  const { log, errors } = errorsOf();
  const rebuilt = await startWorker('3.0.0', { port, hasMore: true, log });
  await expect
    .poll(() => errors[0], { timeout: 10_000 })
    .toMatch('without Job.more. Two builds must not have the same');
  expect(rebuilt.isRegistered()).toBe(false);
}, 60_000);

test('404: Restate cannot take the handlers of this version for those of another', async () => {
  const worker = await registered('4.0.0');
  const other = worker.url.replace('v4.0.0', 'v4.0.1');
  await expect(deployments.register({ url: other, version: '4.0.1', force: false })).rejects.toThrow('404');
}, 60_000);

test('the version that replaces another at the same address gets new work and continues the invocations of the other, and so does the one that replaces it', async () => {
  const port = await freePort();
  const old = await registered('5.0.0', { port });
  await start('in-place', 300);
  await old.stop();
  const upgraded = await registered('5.1.0', { port });
  await expect
    .poll(() => stepsOf('in-place'), { timeout: 30_000 })
    .toEqual(['5.0.0 first in-place', '5.1.0 second in-place']);
  expect(await client.client(jobObject, 'upgraded').work({ waitMs: 0 })).toBe('5.1.0');
  await upgraded.stop();
  await registered('5.0.0', { port });
  await expect.poll(async () => (await deployments.list()).find(({ isLatest }) => isLatest)?.version).toBe('5.0.0');
  expect(await client.client(jobObject, 'rolled back').work({ waitMs: 0 })).toBe('5.0.0');
}, 60_000);

test('a worker whose version was removed does not take new work from a newer one', async () => {
  const { log, errors } = errorsOf();
  const old = await registered('6.0.0', { log });
  await registered('6.1.0');
  await removeDeployment(deployments, '6.0.0', { print: () => {} });
  await expect.poll(() => errors[0], { timeout: 10_000 }).toMatch('was removed from Restate: stop this worker');
  expect(old.isRegistered()).toBe(false);
  expect(await client.client(jobObject, 'after removal').work({ waitMs: 0 })).toBe('6.1.0');
}, 60_000);

test('a version with a service that no other has is removed only when told to, as in a roll-back', async () => {
  const [old, upgraded] = [await registered('7.0.0'), await registered('7.1.0', { hasNews: true })];
  await deployments.register({ url: old.url, version: '7.0.0', force: true });
  await upgraded.stop();
  const print = () => {};
  await expect(removeDeployment(deployments, '7.1.0', { print })).rejects.toThrow('Only 7.1.0 has News.');
  await removeDeployment(deployments, '7.1.0', { print, dropServices: true });
  expect((await deployments.list()).map(({ version }) => version)).not.toContain('7.1.0');
  expect(await client.client(jobObject, 'after roll-back').work({ waitMs: 0 })).toBe('7.0.0');
}, 60_000);
