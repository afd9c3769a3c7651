import { sql } from 'kysely';
import type { Db } from '../apps/server/src/platform/db.ts';
import { runEntry, waitFor } from '../tools/demo/processes.ts';
import { seedDemo } from '../tools/demo/seed.ts';
import { prepare } from '../tools/demo/settings.ts';
import { agent, call, openSession, type Target } from './chat-client.ts';
import { result, type Result } from './figures/result.ts';
import { median, msOf } from './figures/stats.ts';
import { buildServer, built, connectAdmin, withStack } from './servers.ts';

const conversations = Number(process.env['BENCH_CONVERSATIONS'] ?? 100_000);
const each = 10; // messages in a conversation
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 150);
const site = 'http://localhost:1';

type Seeded = Awaited<ReturnType<typeof seedDemo>>;
type Tenant = Target & Seeded;

/** A tenant with a million messages next to an empty one: the cost of listing, resuming and a new turn in each. */
export async function chatScale(): Promise<Result[]> {
  buildServer();
  return withStack(async (stack) => {
    const settings: Record<string, string> = {
      ...(await prepare(stack)),
      TRUSTED_PROXIES: '127.0.0.1',
      LOG_LEVEL: 'error',
    };
    const apiUrl = settings['PUBLIC_URL'] ?? '';
    const aTenant = async (): Promise<Tenant> => ({ apiUrl, site, ...(await seedDemo(settings, site)) });
    const [full, empty] = [await aTenant(), await aTenant()];
    const admin = connectAdmin(stack);
    const startedAt = Date.now();
    await fill(admin, full);
    await admin.destroy();
    console.log(
      `${conversations.toLocaleString('en')} conversations of ${each} messages written in ${Math.round((Date.now() - startedAt) / 1_000)} s`,
    );

    const entries = [built.api, built.worker].map((entry) => runEntry(entry, settings));
    await waitFor(`${apiUrl}/health/ready`);
    const figures = [
      await compare('listing conversations', full, empty, list),
      await compare('listing those that wait', full, empty, (tenant) => list(tenant, '?state=waiting_human')),
      await compare('resuming a conversation', full, empty, resume()),
      await compare('a new turn', full, empty, aTurn()),
    ];
    agent.destroy();
    await Promise.all(entries.map((entry) => entry.stop()));
    return figures;
  });
}

/** In turn, so that other load on the machine affects both. */
async function compare(
  what: string,
  full: Tenant,
  empty: Tenant,
  work: (tenant: Tenant) => Promise<number>,
): Promise<Result> {
  for (let n = 0; n < 20; n++) await Promise.all([work(full), work(empty)]); // warm
  const [times, emptyTimes]: [number[], number[]] = [[], []];
  for (let n = 0; n < rounds; n++) {
    times.push(await work(full));
    emptyTimes.push(await work(empty));
  }
  const [value, peer] = [median(times), median(emptyTimes)];
  return result({
    name: `${what} in a tenant with ${(conversations * each).toLocaleString('en')} messages`,
    value,
    unit: 'ms',
    peer: { name: 'in an empty one', value: peer },
    ratio: value / peer,
    goal: { atMost: 1.3 },
    rounds,
  });
}

const list = ({ apiUrl, serverKey, serverKeyId }: Tenant, query = '') => {
  const headers = { authorization: `Bearer ${serverKey}`, 'x-service-api-key-id': serverKeyId };
  return msOf(() => call('GET', `${apiUrl}/conversations${query}`, { headers }));
};

/** A few questions in one conversation, as a visitor asks them. */
function aTurn() {
  const sessions = new Map<string, { uses: number; session: Awaited<ReturnType<typeof openSession>> }>();
  return async (tenant: Tenant) => {
    const known = sessions.get(tenant.tenantId);
    const current = known && known.uses < 8 ? known : { uses: 0, session: await openSession(tenant) };
    sessions.set(tenant.tenantId, current);
    current.uses++;
    const { headers, sessionToken } = current.session;
    const body = { sessionToken, message: 'when is the shop open' };
    return msOf(() => call('POST', `${tenant.apiUrl}/widget/chatbots/${tenant.botId}/message`, { headers, body }));
  };
}

/** Resumes a conversation of two messages. */
function resume() {
  const known = new Map<string, { url: string; headers: Record<string, string>; uses: number }>();
  return async (tenant: Tenant) => {
    let mine = known.get(tenant.tenantId);
    if (!mine || mine.uses > 50) {
      const { headers, sessionToken } = await openSession(tenant);
      const body = { sessionToken, message: 'when is the shop open' };
      const sent = await call('POST', `${tenant.apiUrl}/widget/chatbots/${tenant.botId}/message`, { headers, body });
      const { conversationId } = JSON.parse(sent) as { conversationId: string };
      const url = `${tenant.apiUrl}/widget/conversations/${conversationId}/events?after=0`;
      mine = { url, headers: { ...headers, authorization: `Bearer ${sessionToken}` }, uses: 0 };
      known.set(tenant.tenantId, mine);
    }
    mine.uses++;
    const { url, headers } = mine;
    return msOf(() => call('GET', url, { headers }));
  };
}

/** Conversations of the last three weeks, each with its visitor, events and turns. */
async function fill(admin: Db, { tenantId, botId, environmentId }: Tenant) {
  await sql`create temporary table made as
    select directory.first_id('conv', at) || lpad(to_hex(n), 16, '0') as id, 'vis_' || lpad(n::text, 26, '0') as visitor_id, n, at
    from (select n, now() - n * interval '20 days' / ${conversations} as at from generate_series(1, ${conversations}) as n) as times`.execute(
    admin,
  );
  const version = sql`(select version_id from bot_deployments where tenant_id = ${tenantId} and bot_id = ${botId} limit 1)`;
  await sql`insert into visitors (tenant_id, id, bot_id, environment_id, label)
    select ${tenantId}, visitor_id, ${botId}, ${environmentId}, 'bench' from made`.execute(admin);
  await sql`insert into conversations (tenant_id, id, environment_id, bot_id, version_id, visitor_id, state, last_seq, message_count, preview, last_message_at, expires_at, created_at)
    select ${tenantId}, id, ${environmentId}, ${botId}, ${version}, visitor_id,
      (array['bot', 'bot', 'bot', 'closed', 'waiting_human'])[1 + n % 5], ${each}, ${each}, 'What does delivery cost?', at, at + interval '90 days', at from made`.execute(
    admin,
  );
  await sql`insert into conversation_events (tenant_id, conversation_id, seq, type, message_id, payload, created_at)
    select ${tenantId}, id, seq, case seq % 2 when 1 then 'message.created' else 'reply.completed' end, 'msg_' || n || '_' || seq,
      jsonb_build_object('role', case seq % 2 when 1 then 'visitor' else 'bot' end, 'text', repeat('What does delivery cost? ', 6)), at
    from made, generate_series(1, ${each}) as seq`.execute(admin);
  await sql`insert into turns (tenant_id, conversation_id, id, seq, message_id, reply_id, status, mode, finished_at)
    select ${tenantId}, id, 'turn_' || n || '_' || seq, seq, 'msg_' || n || '_' || seq, 'msg_' || n || '_' || (seq + 1), 'done', 'extractive', at
    from made, generate_series(1, ${each}, 2) as seq`.execute(admin);
  await sql`vacuum analyze`.execute(admin);
}
