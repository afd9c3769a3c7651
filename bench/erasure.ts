import type { Client } from 'pg';
import { eraseVisitor } from '../apps/server/src/features/conversations/visitor/privacy.ts';
import type { VisitorSession } from '../apps/server/src/platform/context.ts';
import { connect } from '../apps/server/src/platform/db.ts';
import { newId } from '../apps/server/src/platform/ids.ts';
import { withDatabase } from './database.ts';
import { result, type Result } from './figures/result.ts';
import { msOf } from './figures/stats.ts';

const events = Number(process.env['BENCH_EVENTS'] ?? 10_000_000);
const responses = Number(process.env['BENCH_RESPONSES'] ?? 100_000);
const conversations = 20;
const minutes = 20_000; // two weeks

/** Erasing one visitor of a tenant with many events and stored responses. */
export const erasure = (): Promise<Result[]> =>
  withDatabase(async ({ admin, appUrl }) => {
    const startedAt = Date.now();
    const session = await fill(admin);
    console.log(`${events.toLocaleString('en')} events written in ${Math.round((Date.now() - startedAt) / 1_000)} s`);
    const ms = await erase(appUrl, session);
    return [
      result({
        name: `erasing a visitor with ${conversations} conversations and a contact, in a tenant with ${events.toLocaleString('en')} events and ${responses.toLocaleString('en')} stored responses`,
        value: ms / 1_000,
        unit: 's',
        goal: { atMost: 5 },
        rounds: 1,
      }),
    ];
  });

/** There are no subscribers, so notifications go nowhere. */
export async function erase(appUrl: string, session: VisitorSession): Promise<number> {
  const db = connect(appUrl, { max: 1 });
  const services = { db, keyring: {} as never, wakeRelay: () => {}, notify: () => {} };
  const signals = { delete: () => {} } as never;
  const requestInfo = { ip: '127.0.0.1', userAgent: 'bench', requestId: 'bench' };
  const ms = await msOf(async () => {
    const receipt = await eraseVisitor({ services, signals }, session, requestInfo);
    console.log(`${receipt.conversations} conversations, ${receipt.messages} messages`);
  });
  await db.destroy();
  return ms;
}

/** A month of messages of many conversations, and one visitor with some of them. */
export async function fill(admin: Client): Promise<VisitorSession> {
  const tenantId = newId('tenant');
  const [workspaceId, environmentId, botId] = [newId('workspace'), newId('environment'), newId('bot')];
  const [versionId, visitorId, contactId] = [newId('botVersion'), newId('visitor'), newId('contact')];
  const statements = [
    `set session_replication_role = replica`, // no webhooks, no foreign keys
    `insert into tenants (tenant_id, name, plan, api_version) values ('${tenantId}', 'Bench', 'team', 'bench')`,
    `insert into workspaces (tenant_id, id, name) values ('${tenantId}', '${workspaceId}', 'Bench')`,
    `insert into environments (tenant_id, id, workspace_id, name) values ('${tenantId}', '${environmentId}', '${workspaceId}', 'live')`,
    `insert into bots (tenant_id, id, workspace_id, name) values ('${tenantId}', '${botId}', '${workspaceId}', 'Bench')`,
    `insert into contacts (tenant_id, id, environment_id, external_user_id, email)
      values ('${tenantId}', '${contactId}', '${environmentId}', 'u1', 'u1@example.com')`,
    `insert into visitors (tenant_id, id, bot_id, environment_id, label)
      values ('${tenantId}', '${visitorId}', '${botId}', '${environmentId}', 'bench')`,
    `insert into conversations (tenant_id, id, environment_id, bot_id, version_id, visitor_id, contact_id, message_count, expires_at)
      select '${tenantId}', 'conv_' || lpad(n::text, 26, '0'), '${environmentId}', '${botId}', '${versionId}', '${visitorId}',
        '${contactId}', 10, now() + interval '90 days' from generate_series(1, ${conversations}) as n`,
    `create table conversation_events_old partition of conversation_events for values from ('conv_0') to ('conv_01')`,
    `insert into conversation_events (tenant_id, conversation_id, seq, type, message_id, payload)
      select '${tenantId}', 'conv_' || lpad(n::text, 26, '0'), seq, 'message.created', 'msg_' || lpad((n * 10 + seq)::text, 26, '0'),
        '{"role":"visitor","text":"Hello"}' from generate_series(1, ${conversations}) as n, generate_series(1, 10) as seq`,
    `select directory.add_partition(t, date_trunc('day', now()) - day * interval '1 day')
      from directory.partitioned_tables t, generate_series(1, 15) as day where t.name = 'events'`,
    // One event in a hundred is about a contact, the others about a message. `first_id` is slow, so once a minute.
    `insert into events (tenant_id, id, position, type, is_public, environment_id, bot_id, conversation_id, subject_id, body, created_at)
      select '${tenantId}', first_id || lpad(to_hex(n), 16, '0'), n, case when n % 100 = 0 then 'contact.updated' else 'message.created' end,
        true, '${environmentId}', '${botId}',
        case when n % 100 <> 0 then 'conv_' || case when n % ${events / conversations / 10} = 1
          then lpad((1 + n % ${conversations})::text, 26, '0') else '01k' || lpad((n / 10)::text, 23, '0') end end,
        case when n % 100 <> 0 then 'msg_01k' || lpad(n::text, 23, '0') when n % ${events / 10} = 0 then '${contactId}'
          else 'cont_01k' || lpad(n::text, 22, '0') end,
        '{"id":"evt","type":"message.created","data":{"object":{"role":"visitor","text":"What does delivery to Austria cost, and how long does it take?"}}}', at
      from (select minute, now() - minute * interval '1 minute' as at,
          directory.first_id('evt', now() - minute * interval '1 minute') as first_id from generate_series(0, ${minutes - 1}) as minute) as times,
        generate_series(1 + minute * ${events / minutes}, (minute + 1) * ${events / minutes}) as n`,
    `insert into idempotency_keys (tenant_id, key, request_hash, status, body)
      select '${tenantId}', 'key_bench ' || n, '', 201, '{"id":"msg_01k' || lpad(n::text, 23, '0') || '","conversationId":"conv_01k'
        || lpad((n / 10)::text, 23, '0') || '","text":"' || repeat('What does delivery to Austria cost? ', 8) || '"}'
      from generate_series(1, ${responses}) as n`,
    `insert into idempotency_references (tenant_id, subject_id, key)
      select '${tenantId}', unnest(array['msg_01k' || lpad(n::text, 23, '0'), 'conv_01k' || lpad((n / 10)::text, 23, '0')]), 'key_bench ' || n
      from generate_series(1, ${responses}) as n`,
    `vacuum analyze`,
    `set session_replication_role = origin`,
  ];
  for (const statement of statements) await admin.query(statement);
  const contact = { id: contactId, externalUserId: 'u1', email: 'u1@example.com' };
  const [startedAt, expiresAt] = [new Date(), new Date(Date.now() + 3_600_000)];
  const opened = { openedBy: 'bench', label: 'bench', origin: null, startedAt, expiresAt };
  return { tenantId, environmentId, botId, visitorId, contact, ...opened };
}
