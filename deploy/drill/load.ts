import { setTimeout as sleep } from 'node:timers/promises';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Permission } from '../../apps/server/src/platform/access.contract.ts';
import { inTenant, type Services } from '../../apps/server/src/platform/context.ts';
import { openKeyring } from '../../apps/server/src/platform/crypto.ts';
import { connect } from '../../apps/server/src/platform/db.ts';
import { openDeployments } from '../../apps/server/src/platform/deployments.ts';
import { createWebhook } from '../../apps/server/src/features/webhooks/endpoints/webhooks.service.ts';
import { aBotThatActs, effects, kinds, rejectingActions, type Kind } from '../../apps/server/test/actions/fault-bot.ts';
import { aPatientVisitor, type Visitor } from '../../apps/server/test/actions/patient-visitor.ts';
import { aTenantSystem } from '../../apps/server/test/actions/stub.ts';
import { compareAll, waitUntilIdle } from '../../apps/server/test/actions/truth.ts';
import { randomFrom, seed } from '../../apps/server/test/faults/random.ts';
import { compareLedgers, waitForEmptyQueue } from '../../apps/server/test/webhooks/ledger.ts';
import { forwardTo } from './machine.ts';
import { adminUrl, apiUrl, cdnUrl, docsUrl, portalUrl, type Outside } from './outside.ts';
import { countTraffic } from './traffic.ts';

// Visitors chat and confirm actions through the proxy, a tenant's backend records what it did, and events of these chats are delivered to it.

const random = randomFrom(seed);
const timeoutMs = 5_000;
/** Visitors share two cores with what they visit. Impatient ones would keep an overloaded machine overloaded. */
const retryMs = 1_000;
/** What a chat with an action publishes: five or six events. */
const eventTypes = [
  'conversation.created',
  'message.created',
  'action.invoked',
  'action.succeeded',
  'action.failed',
  'action.unknown',
];

/** Direct access to the product's database and Restate, to compare what they know with what the backend received. */
export async function openRecords(compose: string) {
  const secret = (name: string) => readFileSync(join(compose, 'secrets', name), 'utf8').trim();
  const [postgres, admin, ingress] = await Promise.all([
    forwardTo('postgres', 5432),
    forwardTo('restate', 9070),
    forwardTo('restate', 8080),
  ]);
  const urlOf = (name: string) =>
    Object.assign(new URL(secret(name)), { host: postgres.host, pathname: '/parley' }).href;
  const root = connect(urlOf('postgres_url'), { max: 4 });
  const db = connect(urlOf('database_url'), { max: 8 });
  const services: Services = { db, keyring: openKeyring(secret('master_keys')), wakeRelay: () => {}, notify: () => {} };
  return {
    root,
    services,
    deployments: openDeployments(`http://${admin.host}`, undefined, 60_000),
    ingressUrl: `http://${ingress.host}`,
    close: async () => {
      await Promise.all([root.destroy(), db.destroy()]);
      for (const one of [postgres, admin, ingress]) one.close();
    },
  };
}
export type Records = Awaited<ReturnType<typeof openRecords>>;

/** The bot, its endpoint and the records of its backend. */
async function aTenant({ services }: Records, { receiver }: Outside) {
  const tenantSystem = aTenantSystem(receiver, { effects, rejectingActions, timeoutMs });
  tenantSystem.beforeEffect = () => sleep(random.between(0, 2_000)); // so that actions are in flight while versions change
  const respondToAction = receiver.respond;
  receiver.respond = (call, response, request) =>
    call.path === '/actions' ? respondToAction?.(call, response, request) : response.writeHead(200).end();
  const bot = await aBotThatActs(services, `${receiver.url}/actions`, timeoutMs);
  const caller = {
    tenantId: bot.tenantId,
    actor: { type: 'system', id: 'drill' } as const,
    permissions: new Set(Permission.options),
  };
  const endpoint = { url: `${receiver.url}/events`, description: '', eventTypes, headers: {} };
  const more = { environmentId: null, botIds: [], rateLimit: 1_000, ordering: 'none' as const, autoRecover: true };
  const { secret } = await inTenant(services, caller, (ctx) => createWebhook(ctx, { ...endpoint, ...more }, () => {}));
  receiver.secrets = [bot.secret, secret];
  return { bot, tenantSystem };
}

export async function startLoad(records: Records, outside: Outside, chatsPerSecond: number) {
  const { bot, tenantSystem } = await aTenant(records, outside);
  const traffic = countTraffic();
  let isOver = false;
  let visits = 0;
  const visitors: Visitor[] = [];
  const errors: unknown[] = [];
  const open = new Set<Promise<unknown>>();
  const track = (work: Promise<unknown>) => {
    const tracked = work.catch((error: unknown) => errors.push(error)).finally(() => open.delete(tracked));
    open.add(tracked);
  };
  /** Starts work at a rate, however long each takes. */
  const atRate = async (perSecond: number, start: () => Promise<unknown>) => {
    const startedAt = Date.now();
    const isRunning = () => !isOver;
    for (let n = 0; isRunning(); n++) {
      await sleep(Math.max(0, startedAt + (n * 1_000) / perSecond - Date.now()));
      if (!isOver) track(start());
    }
  };

  const visit = async () => {
    const kind = random.pick(Object.keys(kinds) as Kind[]);
    const visitor = await aPatientVisitor(apiUrl, bot, { kind, n: visits++, retryMs });
    visitors.push(visitor);
    if (kind !== 'read') {
      await visitor.waitFor('the card', 'confirmation.required', 1);
      await sleep(isOver ? 0 : random.between(0, 8_000)); // so that confirmations are open while versions change
      await visitor.confirm();
    }
    await visitor.end();
  };
  const pages = [`${portalUrl}/sign-in`, `${adminUrl}/sign-in`, `${docsUrl}/`, `${cdnUrl}/chatbot-widget.js`];
  const openPage = async () => {
    const response = await fetch(pages[random.between(0, pages.length - 1)] ?? '', {
      signal: AbortSignal.timeout(20_000),
    });
    await response.arrayBuffer();
  };
  const startedAt = Date.now();
  const working = Promise.all([atRate(chatsPerSecond, visit), atRate(Math.min(4, chatsPerSecond), openPage)]);

  return {
    traffic,
    visits: () => visits,
    /** Starts nothing more. */
    end: () => (isOver = true),
    /** Waits for what was started, and compares what the backend received with what the product says. */
    stop: async () => {
      isOver = true;
      await working;
      const lasted = (Date.now() - startedAt) / 1_000;
      await Promise.all(open);
      await waitUntilIdle(records.root, 300_000);
      await waitForEmptyQueue(records.root, 300_000);
      traffic.stop();
      if (errors.length > 0) throw new AggregateError(errors, `${errors.length} visitors failed`);
      const { tally } = await compareAll(records.root, tenantSystem, visitors);
      const { events: delivered } = await compareLedgers(records.root, outside.receiver, 'drill', {
        types: eventTypes,
        tenantId: bot.tenantId,
      });
      return { visitors: visitors.length, tally, delivered, lasted };
    },
  };
}
