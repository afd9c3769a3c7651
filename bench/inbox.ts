import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../apps/server/src/platform/db.ts';
import { buildPortal, portalClient, portalSettings } from '../tools/demo/portal.ts';
import { runEntry, waitFor } from '../tools/demo/processes.ts';
import { seedDemo } from '../tools/demo/seed.ts';
import { prepare } from '../tools/demo/settings.ts';
import { freePort } from '../tools/stack/index.ts';
import { agent as connections, call, openSession, type Target } from './chat-client.ts';
import { result, type Result } from './figures/result.ts';
import { median, percentile } from './figures/stats.ts';
import { signInAgents, type Agent } from './inbox-agents.ts';
import { raiseReadLimit } from './limits.ts';
import { buildServer, built, connectAdmin, withStack } from './servers.ts';

const conversations = Number(process.env['BENCH_CONVERSATIONS'] ?? 100_000);
const agentCount = 50;
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 100);
const site = 'http://localhost:1';

type Tenant = Target & Awaited<ReturnType<typeof seedDemo>>;

/** The inbox of a busy tenant: the first byte of its list, and how long a change takes to reach its agents. */
export async function inbox(): Promise<Result[]> {
  buildServer();
  await buildPortal('portal');
  return withStack(async (stack, onEnd) => {
    const portalUrl = `http://localhost:${await freePort()}`;
    const settings: Record<string, string> = {
      ...(await prepare(stack, { portalUrl, clients: [portalClient('portal', portalUrl)] })),
      LOG_LEVEL: 'error',
    };
    const apiUrl = settings['PUBLIC_URL'] ?? '';
    const tenant: Tenant = { apiUrl, site, ...(await seedDemo(settings, site)) };
    await raiseReadLimit(stack, tenant.tenantId);
    const portal = { ...portalSettings('portal', stack.dir, portalUrl, apiUrl), NODE_ENV: 'production' };
    for (const entry of [built.api, built.worker]) onEnd(runEntry(entry, settings).stop);
    onEnd(runEntry('apps/portal/src/server.ts', portal).stop);
    onEnd(() => connections.destroy());
    await Promise.all([waitFor(`${apiUrl}/health/ready`), waitFor(`${portalUrl}/health/ready`)]);
    const agents = await signInAgents(settings, tenant.tenantId, agentCount);
    const admin = connectAdmin(stack);
    await fill(admin, tenant, agents);
    await admin.destroy();

    const [first] = agents;
    if (!first) throw new Error('no agents');
    const cookies: string[] = [];
    for (const one of agents) cookies.push(await signInToPortal(portalUrl, one));
    const tabs = await Promise.all(cookies.map((cookie) => openTab(portalUrl, cookie)));
    console.log(`${conversations.toLocaleString('en')} conversations, ${agentCount} agents connected`);
    const list = `${apiUrl}/conversations?sort=waiting&limit=25`;
    const page = `${portalUrl}/conversations`;
    const browser = { cookie: cookies[0] ?? '', 'accept-encoding': 'br' };
    const figures = [
      await repeat('the list over the API, first byte', () => firstByteMs(list, first.headers)),
      await repeat('the page in the portal, first byte', () => firstByteMs(page, browser)),
      ...(await live(tenant, tabs)),
    ];
    for (const { close } of tabs) close();
    return figures;
  });
}

async function repeat(name: string, work: () => Promise<number>): Promise<Result> {
  for (let n = 0; n < 10; n++) await work(); // warm
  const times: number[] = [];
  for (let n = 0; n < rounds; n++) times.push(await work());
  return slowest(name, 150, times);
}

const slowest = (name: string, goalMs: number, times: readonly number[]): Result =>
  result({
    name: `${name} (p95)`,
    value: percentile(times, 0.95),
    unit: 'ms',
    goal: { atMost: goalMs },
    rounds: times.length,
    note: `p50 ${median(times).toFixed(0)} ms, max ${percentile(times, 1).toFixed(0)} ms`,
  });

const firstByteMs = (url: string, headers: Record<string, string>) =>
  new Promise<number>((resolve, reject) => {
    const startedAt = performance.now();
    const sent = request(url, { agent: connections, headers });
    sent.once('error', reject);
    sent.once('response', (response) => {
      if (response.statusCode !== 200) return reject(new Error(`${response.statusCode} at ${url}`));
      let ms = 0;
      response.once('data', () => (ms = performance.now() - startedAt));
      response.once('end', () => resolve(ms));
      response.resume();
    });
    sent.end();
  });

interface ChangeTimes {
  reportedAt: number;
  listedAt: number;
}
interface Waiting {
  id: string;
  reportedAt?: number;
  notify(times: ChangeTimes): void;
}
interface Tab {
  /** Resolves with the times at which a change of a conversation is reported, and at which the list has it. */
  changeOf(conversationId: string): Promise<ChangeTimes>;
  close(): void;
}

const [readMs, countsDelayMs] = [1_000, 500];

/** A visible tab of the portal, after its first event: it reads the list and the counts as live-data.ts and inbox.tsx do. */
const openTab = (portalUrl: string, cookie: string) =>
  new Promise<Tab>((resolve, reject) => {
    const headers = { cookie, 'x-requested-with': 'portal', 'accept-encoding': 'br' };
    const read = (path: string) => call('GET', `${portalUrl}/api${path}`, { headers });
    let isClosed = false;
    let waiting: Waiting[] = [];
    const readList = throttled(async () => {
      if (isClosed) return;
      const reported = waiting.filter(({ reportedAt }) => reportedAt !== undefined);
      await read('/conversations?limit=25&sort=waiting');
      const listedAt = performance.now();
      for (const { reportedAt = 0, notify } of reported) notify({ reportedAt, listedAt });
      waiting = waiting.filter((one) => !reported.includes(one));
    });
    const readCounts = throttled(async () => {
      await sleep(countsDelayMs);
      if (!isClosed) await read('/inbox/counts');
    });
    const sent = request(`${portalUrl}/api/inbox/events`, {
      agent: false,
      headers: { ...headers, accept: 'text/event-stream' },
    });
    sent.once('error', reject);
    sent.once('response', (response) => {
      if (response.statusCode !== 200) return reject(new Error(`${response.statusCode} from the stream`));
      response.setEncoding('utf8').on('error', () => {});
      response.on('data', (text: string) => {
        for (const one of waiting) if (text.includes(one.id)) one.reportedAt ??= performance.now();
        readList();
        readCounts();
        resolve({
          changeOf: (id) => new Promise((notify) => waiting.push({ id, notify })),
          close: () => {
            isClosed = true;
            response.destroy();
          },
        });
      });
    });
    sent.end();
  });

/** Runs immediately, then once per second at most, and again for what came in between. */
function throttled(run: () => Promise<unknown>): () => void {
  let [isWaiting, isMissed] = [false, false];
  return function start() {
    isMissed = isWaiting;
    if (isWaiting) return;
    isWaiting = true;
    run().catch((error: unknown) => console.error(error));
    setTimeout(() => {
      isWaiting = false;
      if (isMissed) start();
    }, readMs);
  };
}

/** From a visitor's request to the event of each agent, and to the list that their tab then reads. */
async function live(tenant: Tenant, tabs: readonly Tab[]): Promise<Result[]> {
  const [reported, listed]: [Record<string, number[]>, Record<string, number[]>] = [
    { handoff: [], message: [] },
    { handoff: [], message: [] },
  ];
  for (let n = 0; n < rounds / 2; n++) {
    const { headers, sessionToken } = await openSession(tenant);
    const send = (message: string) =>
      call('POST', `${tenant.apiUrl}/widget/chatbots/${tenant.botId}/message`, {
        headers,
        body: { sessionToken, message },
      });
    const { conversationId } = JSON.parse(await send('when is the shop open')) as { conversationId: string };
    const authorized = { ...headers, authorization: `Bearer ${sessionToken}` };
    const handoff = () =>
      call('POST', `${tenant.apiUrl}/widget/conversations/${conversationId}/handoff`, {
        headers: authorized,
        body: {},
      });
    for (const [name, change] of [
      ['handoff', handoff],
      ['message', () => send('is anyone there?')],
    ] as const) {
      // The changes before are neither in the same event, nor do they delay the next read.
      await sleep(2 * readMs + 500);
      const changes = tabs.map(({ changeOf }) => changeOf(conversationId));
      const startedAt = performance.now();
      const [times] = await Promise.all([Promise.all(changes), change()]);
      reported[name]?.push(...times.map(({ reportedAt }) => reportedAt - startedAt));
      listed[name]?.push(...times.map(({ listedAt }) => listedAt - startedAt));
    }
  }
  return [
    ...Object.entries(reported).map(([name, times]) =>
      slowest(`from a visitor’s ${name} to the event, for each agent`, 500, times),
    ),
    ...Object.entries(listed).map(([name, times]) =>
      slowest(`from a visitor’s ${name} to the refreshed list, for each agent, after a quiet second`, 500, times),
    ),
  ];
}

async function signInToPortal(portalUrl: string, { email, password }: Agent): Promise<string> {
  const response = await fetch(`${portalUrl}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-requested-with': 'portal', origin: portalUrl },
    body: JSON.stringify({ email, password }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return response.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
}

/** Conversations of the last three weeks: one in 200 waits, one in 100 is with an agent, one in 10 is of a contact. */
async function fill(admin: Db, { tenantId, botId, environmentId }: Tenant, agents: readonly Agent[]) {
  await sql`create temporary table made as
    select directory.first_id('conv', at) || lpad(to_hex(n), 16, '0') as id, 'vis_' || lpad(n::text, 26, '0') as visitor_id, n, at,
      case when n % 10 = 0 then 'con_' || lpad(n::text, 26, '0') end as contact_id,
      case when n % 200 = 0 then 'waiting_human' when n % 100 = 1 then 'human' when n % 20 = 2 then 'bot' else 'closed' end as state
    from (select n, now() - n * interval '20 days' / ${conversations} as at from generate_series(1, ${conversations}) as n) as times`.execute(
    admin,
  );
  const version = sql`(select version_id from bot_deployments where tenant_id = ${tenantId} and bot_id = ${botId} limit 1)`;
  const agentIds = agents.map(({ userId }) => userId);
  await sql`insert into visitors (tenant_id, id, bot_id, environment_id, label)
    select ${tenantId}, visitor_id, ${botId}, ${environmentId}, 'web' from made`.execute(admin);
  await sql`insert into contacts (tenant_id, id, environment_id, external_user_id, email)
    select ${tenantId}, contact_id, ${environmentId}, n::text, 'visitor-' || n || '@example.com' from made where contact_id is not null`.execute(
    admin,
  );
  await sql`insert into conversations (tenant_id, id, environment_id, bot_id, version_id, visitor_id, contact_id, state, assignee_id,
      waiting_since, last_seq, visitor_seq, message_count, preview, visitor_preview, last_message_at, expires_at, created_at)
    select ${tenantId}, id, ${environmentId}, ${botId}, ${version}, visitor_id, contact_id, state,
      case when state = 'human' then (${agentIds}::text[])[1 + (n / 100) % ${agentIds.length}] end,
      case when state = 'waiting_human' or n % 400 = 1 then at end, 10, 9, 10, 'What does delivery cost?', 'What does delivery cost?',
      at, at + interval '90 days', at from made`.execute(admin);
  await sql`insert into conversation_tokens (tenant_id, conversation_id, token)
    select ${tenantId}, id, token from made, unnest(array['what', 'does', 'delivery', 'cost', 'order' || n]) as token`.execute(
    admin,
  );
  await sql`vacuum analyze`.execute(admin);
}
