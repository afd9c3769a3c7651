import { sql } from 'kysely';
import { connect } from '../../src/platform/db.ts';
import { urlAs } from '../harness.ts';

const days = 28;

/** Tenants, and their events of the last four weeks, written in bulk. */
export async function seed(tenants: number, events: number): Promise<void> {
  const db = connect(urlAs('postgres'), { max: 1, connectMs: 60_000, queryMs: 3_600_000 });
  await sql`set session_replication_role = replica`.execute(db); // no triggers: they would take most of the time
  await sql`insert into tenants (tenant_id, name, plan, api_version)
    select 'ten_' || lpad(n::text, 26, '0'), 'Tenant ' || n, 'free', '2026-01-01' from generate_series(1, ${tenants}::int) as n`.execute(
    db,
  );
  await sql`insert into directory.tenants (tenant_id) select tenant_id from tenants on conflict do nothing`.execute(db);
  await sql`insert into directory.tenant_name_tokens
    select tenant_id, place, tokens, status, plan from tenants, directory.name_tokens_of(name) on conflict do nothing`.execute(
    db,
  );
  await sql`set role parley_owner`.execute(db);
  await sql`select directory.add_partition(t, date_trunc('day', now()) - day * interval '1 day')
    from directory.partitioned_tables t, generate_series(2, ${days}::int) as day where t.name = 'events'`.execute(db);
  await sql`reset role`.execute(db);
  // `first_id` is slow, so only once an hour.
  await sql`insert into events (tenant_id, id, position, type, is_public, subject_id, body, created_at)
    select 'ten_' || lpad((1 + n % ${tenants}::int)::text, 26, '0'), first_id || lpad(to_hex(n), 16, '0'), 1 + n / ${tenants}::int,
      'message.created', true, 'msg_' || lpad(n::text, 26, '0'),
      '{"id":"evt","type":"message.created","data":{"object":{"role":"visitor","text":"What does delivery to Austria cost?"}}}', at
    from (select hour, now() - hour * interval '1 hour' as at,
        directory.first_id('evt', now() - hour * interval '1 hour') as first_id
        from generate_series(0, ${days * 24 - 1}::int) as hour) as hours,
      generate_series(hour, ${events - 1}::int, ${days * 24}::int) as n`.execute(db);
  await sql`insert into directory.event_streams (tenant_id, last_position, delivered_position)
    select tenant_id, max(position), max(position) from events group by tenant_id`.execute(db);
  await sql`set session_replication_role = default`.execute(db);
  await sql`analyze`.execute(db);
  await db.destroy();
}
