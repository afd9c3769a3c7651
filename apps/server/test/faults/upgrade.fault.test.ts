import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { countOf, isFull } from '../../../../tools/testing/size.ts';
import { CreateApiKey } from '../../src/features/api-keys/api-keys.contract.ts';
import { createApiKey } from '../../src/features/api-keys/api-keys.service.ts';
import { Permission } from '../../src/platform/access.contract.ts';
import { inTenant } from '../../src/platform/context.ts';
import { countInvocations } from '../../src/platform/deployments.ts';
import { aBotThatActs, effects, kinds, rejectingActions, type Caller, type Kind } from '../actions/fault-bot.ts';
import { aPatientVisitor, type Visitor } from '../actions/patient-visitor.ts';
import { aTenantSystem } from '../actions/stub.ts';
import { compareAll, waitUntilIdle } from '../actions/truth.ts';
import { page } from '../knowledge-site.ts';
import { emitTestEventIn } from '../webhooks/fixture.ts';
import { compareLedgers, waitForEmptyQueue } from '../webhooks/ledger.ts';
import { randomFrom, seed } from './random.ts';
import { anUpgradeStack, runbookSteps } from './upgrade-stack.ts';
import { versions } from './upgrade-versions.ts';

// Follows docs/runbooks/upgrade.md while visitors chat and confirm actions, webhooks are delivered, a site is synced and
// timers are due: upgrade and roll back, in the full run ten times, and upgrade again. In some rounds the old version is killed instead of stopped.

const rounds = countOf('UPGRADE_ROUNDS', { sample: 1, full: 10 });
/** A single round ends with its roll-back: what is left is done by the old version. */
const isUpgradedAgain = rounds > 1;
/** Upgrades during which the old version is killed. The one after the last round counts as well. */
const killedIn = isUpgradedAgain ? [Math.floor(rounds / 3), rounds] : [0];
/** How many visitors are there at a time, and how much longer the pauses between events and keys are. */
const visitorCount = isFull ? 6 : 2;
const pauses = isFull ? 1 : 4;
const random = randomFrom(seed);
const stack = await anUpgradeStack();
const { root, services, deployments, receiver, site, apiUrl, units, runStep, runCli } = stack;
const [oldVersion, newVersion] = versions;
const timeoutMs = 2_000;
const tenantSystem = aTenantSystem(receiver, { effects, rejectingActions, timeoutMs });
const respondToAction = receiver.respond;
receiver.respond = (call, response, request) =>
  call.path === '/actions' ? respondToAction?.(call, response, request) : response.writeHead(200).end();

/** The longest time of each kind of work, in ms. */
const slowest: Record<string, number> = {};
const note = (what: string, ms: number) => (slowest[what] = Math.max(slowest[what] ?? 0, Math.round(ms)));

/** Invocations that a killed worker left. */
let stranded = 0;
/** Starts a sync that takes longer than the start of a worker. */
let startSlowSync = async () => {};
const pageMs = 100;

/** Invocations that would still go to this version. */
const pinnedTo = async (version: string) => {
  const one = (await deployments.listWithInvocations()).find((deployment) => deployment.version === version);
  return one ? countInvocations(one) : 0;
};

/**
 * Calls the API with a server key. Its code knows the schema, while that of this process is the new version's, also before
 * the migration.
 */
async function aClient(caller: Caller, permissions: Permission[]) {
  const input = CreateApiKey.parse({ name: 'Test', keyType: 'secret_server', permissions });
  const { apiKey, secret } = await inTenant(services, caller, (ctx) => createApiKey(ctx, input));
  return async <T>(path: string, body: object, idempotencyKey: string = randomUUID()): Promise<T> => {
    const headers = {
      authorization: `Bearer ${secret}`,
      'x-service-api-key-id': apiKey.id,
      'idempotency-key': idempotencyKey,
      'content-type': 'application/json',
    };
    const response = await fetch(`${apiUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
}

async function createEndpoint(caller: Caller, url: string, eventTypes: string[]) {
  const post = await aClient(caller, ['webhook.view', 'webhook.manage']);
  const endpoint = { url, eventTypes: ['webhook.disabled'], rateLimit: 1_000 };
  const created = await post<{ webhook: { id: string }; secret: string }>('/webhooks', endpoint);
  // The API knows no event of this test.
  const test = { eventTypes, readableEventTypes: null };
  await root.updateTable('webhooks').set(test).where('id', '=', created.webhook.id).execute();
  return created;
}

async function upgrade(isKilled: boolean) {
  const steps = runbookSteps('Upgrade');
  const startedAt = Date.now();
  if (isKilled) await upgradeWithKill(steps);
  else for (const step of steps) await runStep(step);
  note(isKilled ? 'upgrade with a kill' : 'upgrade', Date.now() - startedAt);
  expect(await pinnedTo(oldVersion)).toBe(0);
}

/** The old version dies as soon as the new one gets new work, so that its own work is still in flight. */
async function upgradeWithKill(steps: readonly string[]) {
  const started = steps.findIndex((step) => step.includes('start parley-worker@$NEW')) + 1;
  const stopping = steps.findIndex((step) => step.includes('stop parley-api@$OLD'));
  expect([started, stopping].every((at) => at > 0)).toBe(true);
  for (const step of steps.slice(0, started - 1)) await runStep(step);
  await startSlowSync();
  await runStep(steps[started - 1] ?? '');
  const latest = async () => (await deployments.list()).find(({ isLatest }) => isLatest)?.version;
  await expect.poll(latest, { timeout: 30_000, interval: 20 }).toBe(newVersion);
  await units.kill('worker', oldVersion);
  const killedAt = Date.now();
  site.state.delayMs = pageMs;
  stranded += await pinnedTo(oldVersion);
  for (const step of steps.slice(started, stopping)) await runStep(step);
  await units.kill('api', oldVersion);
  // No one drains it.
  await expect.poll(() => pinnedTo(oldVersion), { timeout: 60_000, interval: 500 }).toBe(0);
  note('pinned to a killed worker', Date.now() - killedAt);
}

async function rollBack() {
  const startedAt = Date.now();
  for (const step of runbookSteps('Roll back')) await runStep(step);
  note('roll back', Date.now() - startedAt);
  expect((await deployments.list()).map(({ version }) => version)).toEqual([oldVersion]);
}

test(
  `nothing is lost or done twice while version ${oldVersion} is upgraded and rolled back ${rounds} times${isUpgradedAgain ? ' and upgraded again' : ''}`,
  { timeout: 240_000 + rounds * 120_000 },
  async () => {
    console.log(`upgrade: FAULT_SEED=${seed} UPGRADE_ROUNDS=${rounds} from ${stack.commit}`);
    await runCli(oldVersion, ['migrate']);
    await units.start('worker', oldVersion);
    await units.start('api', oldVersion);
    await expect.poll(async () => (await deployments.list()).length, { timeout: 30_000 }).toBe(1);

    const bot = await aBotThatActs(services, `${receiver.url}/actions`, timeoutMs, createEndpoint);
    const { tenantId } = bot;
    const actor = { type: 'system', id: 'test' } as const;
    const caller: Caller = { tenantId, actor, permissions: new Set(Permission.options) };
    const inside = <T>(work: Parameters<typeof inTenant<T>>[2]) => inTenant(services, caller, work);
    const { secret } = await createEndpoint(caller, `${receiver.url}/events`, ['test.*']);
    receiver.secrets = [bot.secret, secret];
    const paths = Array.from({ length: isFull ? 12 : 6 }, (_, n) => `/help/${n}`);
    for (const path of paths) site.pages.set(path, page(`Topic ${path}`, `The number of this page is ${path}.`));
    site.pages.set('/sitemap.xml', site.sitemapOf(paths));
    site.state.delayMs = pageMs;

    // Work of every kind, until the last upgrade is done.
    let isOver = false;
    const visitors: Visitor[] = [];
    let [visits, events] = [0, 0];
    const [keys, sources]: [string[], string[]] = [[], []];
    const repeat = async (work: () => Promise<unknown>, [min, max]: [number, number]) => {
      while (!isOver) {
        await work();
        await sleep(random.between(min, max));
      }
    };
    const visit = async () => {
      const kind = random.pick(Object.keys(kinds) as Kind[]);
      const startedAt = Date.now();
      const visitor = await aPatientVisitor(apiUrl, bot, { kind, n: visits++ });
      let waitedMs = 0;
      if (kind !== 'read') {
        await visitor.waitFor('the card', 'confirmation.required', 1);
        waitedMs = random.between(0, 8_000); // so that confirmations are open while versions change
        await sleep(isOver ? 0 : waitedMs);
        await visitor.confirm();
      }
      await visitor.end();
      note(`chat: ${kind}`, Date.now() - startedAt - waitedMs);
      visitors.push(visitor);
    };
    const emitEvent = () => emitTestEventIn(services, tenantId, events++);
    const addKey = async () => {
      const expiresAt = new Date(Date.now() + random.between(6_000, 20_000)).toISOString();
      const input = CreateApiKey.parse({ name: 'Ends soon', keyType: 'secret_server', expiresAt });
      keys.push((await inside((ctx) => createApiKey(ctx, input))).apiKey.id);
    };
    const post = await aClient(caller, ['knowledge.manage']);
    const addSource = async () => {
      const idempotencyKey = randomUUID();
      const body = { kind: 'sitemap', name: 'Site', url: `${site.url}/sitemap.xml` };
      const send = () => post<{ source: { id: string } }>(`/bots/${bot.botId}/knowledge-sources`, body, idempotencyKey);
      const { source } = await vi.waitFor(send, { timeout: 60_000, interval: 150 });
      sources.push(source.id);
    };
    startSlowSync = async () => {
      site.state.delayMs = 3_000;
      await addSource();
      await expect.poll(() => site.state.open, { timeout: 30_000, interval: 10 }).toBeGreaterThan(0);
    };
    const working = Promise.all([
      ...Array.from({ length: visitorCount }, () => repeat(visit, [0, 300])),
      repeat(emitEvent, [20 * pauses, 100 * pauses]),
      repeat(addKey, [500 * pauses, 1_500 * pauses]),
      repeat(addSource, [6_000, 9_000]),
    ]);

    for (let round = 0; round < rounds; round++) {
      await upgrade(killedIn.includes(round));
      await rollBack();
    }
    if (isUpgradedAgain) await upgrade(killedIn.includes(rounds));
    isOver = true;
    await working;

    await waitUntilIdle(root, 120_000);
    const idleAt = Date.now();
    await waitForEmptyQueue(root, 120_000);
    note('last webhook after everything else', Date.now() - idleAt);
    const { tally, exhausted } = await compareAll(root, tenantSystem, visitors);
    const ledger = await compareLedgers(root, receiver, 'upgrades');
    expect(ledger.events).toBe(events);

    const eventsOf = async (type: string) =>
      (await root.selectFrom('events').select('subjectId').where('type', '=', type).execute()).map(
        ({ subjectId }) => subjectId,
      );
    const countsOf = async (type: string, ids: readonly string[]) => {
      const all = await eventsOf(type);
      return ids.map((id) => all.filter((subject) => subject === id).length);
    };
    const ones = (ids: readonly string[]) => ids.map(() => 1);
    await expect.poll(() => countsOf('api_key.expiring', keys), { timeout: 60_000 }).toEqual(ones(keys));
    const syncs = async () => {
      const published = await countsOf('knowledge.synced', sources);
      const stored = await root.selectFrom('knowledgeSources').select(['id', 'state', 'error']).execute();
      return sources.map((id, n) => ({ published: published[n], ...stored.find((source) => source.id === id) }));
    };
    await expect
      .poll(syncs, { timeout: 120_000 })
      .toMatchObject(sources.map(() => ({ published: 1, state: 'ready', error: null })));
    const documents = await root.selectFrom('knowledgeDocuments').select(['sourceId', 'state']).execute();
    expect(sources.map((id) => documents.filter((one) => one.sourceId === id && one.state === 'ready').length)).toEqual(
      sources.map(() => paths.length),
    );
    const open = () => deployments.listWithInvocations();
    await expect
      .poll(async () => (await open()).map(({ version }) => version), { timeout: 120_000 })
      .toEqual([isUpgradedAgain ? newVersion : oldVersion]);

    console.log(
      `upgrade: ${visitors.length} visitors ${JSON.stringify(tally)}, ${exhausted} after all retries; ${events} events; ${keys.length} timers; ${sources.length} syncs of ${paths.length} pages; killed ${killedIn.length} times, with ${stranded} invocations in flight`,
    );
    console.log(`upgrade: slowest, in ms: ${JSON.stringify(slowest)}`);
    expect(stranded, 'the kill hit invocations in flight').toBeGreaterThan(0);
    expect(stack.linesWith('"level":50'), 'errors in the logs').toEqual([]);
  },
);
