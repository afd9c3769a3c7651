-- A server key may be bound to a workspace, a bot or an environment. What it asks for runs as the role `parley_bound`,
-- which reaches what `parley_app` reaches, less every row outside of its bindings. Everybody else stays `parley_app`, so
-- the policies below cost nothing where nobody is bound.

create function bound_workspace() returns text language sql stable parallel safe
  as $$ select nullif(current_setting('app.bound_workspace_id', true), '') $$;
create function bound_bot() returns text language sql stable parallel safe
  as $$ select nullif(current_setting('app.bound_bot_id', true), '') $$;
create function bound_environment() returns text language sql stable parallel safe
  as $$ select nullif(current_setting('app.bound_environment_id', true), '') $$;
grant execute on function bound_workspace, bound_bot, bound_environment to parley_app;

-- Gives `parley_bound` what `parley_app` has. Call it at the end of a migration that grants something to `parley_app`.
create function grant_to_bound_keys() returns void language plpgsql as $$
declare command text;
begin
  for command in
    select format('grant usage on schema %I to parley_bound', n.nspname)
      from pg_namespace n, aclexplode(n.nspacl) as acl
      where acl.grantee = 'parley_app'::regrole and acl.privilege_type = 'USAGE'
    union all
    select format('grant %s on %s %s to parley_bound', acl.privilege_type,
        case c.relkind when 'S' then 'sequence' else 'table' end, c.oid::regclass)
      from pg_class c, aclexplode(c.relacl) as acl where acl.grantee = 'parley_app'::regrole
    union all
    select format('grant %s (%I) on %s to parley_bound', acl.privilege_type, a.attname, a.attrelid::regclass)
      from pg_attribute a, aclexplode(a.attacl) as acl where acl.grantee = 'parley_app'::regrole
    union all
    select format('grant execute on function %s to parley_bound', p.oid::regprocedure)
      from pg_proc p, aclexplode(p.proacl) as acl where acl.grantee = 'parley_app'::regrole
  loop
    execute command;
  end loop;
end $$;

-- Rows that a bound key neither sees nor writes are those for which `within` is false.
create function protect_by_binding(name regclass, within text, commands text default 'all')
returns void language plpgsql as $$
begin
  execute format('create policy binding on %s as restrictive for %s to parley_bound using (%s)', name, commands, within);
end $$;

select protect_by_binding('workspaces', '(select bound_workspace()) is null or id = (select bound_workspace())');
select protect_by_binding('environments', $$((select bound_workspace()) is null or workspace_id = (select bound_workspace()))
  and ((select bound_environment()) is null or id = (select bound_environment()))$$);
select protect_by_binding('bots', $$((select bound_workspace()) is null or workspace_id = (select bound_workspace()))
  and ((select bound_bot()) is null or id = (select bound_bot()))$$);

-- What belongs to a bot, or to a bot in an environment: seen by whoever sees those.
select protect_by_binding(name, format(
  'exists (select from bots b where b.tenant_id = %1$I.tenant_id and b.id = %1$I.bot_id)', name))
from unnest(array['actions', 'bot_versions', 'knowledge_sources', 'source_days', 'unanswered_questions', 'usage_days',
  'widget_installs']) as name;
select protect_by_binding(name, format(
  'exists (select from bots b where b.tenant_id = %1$I.tenant_id and b.id = %1$I.bot_id)
   and exists (select from environments e where e.tenant_id = %1$I.tenant_id and e.id = %1$I.environment_id)', name))
from unnest(array['action_runs', 'bot_deployments', 'conversations', 'visitors']) as name;
select protect_by_binding('contacts',
  'exists (select from environments e where e.tenant_id = contacts.tenant_id and e.id = contacts.environment_id)');

-- What belongs to a conversation, or to a knowledge source.
select protect_by_binding(name, format(
  'exists (select from conversations c where c.tenant_id = %1$I.tenant_id and c.id = %1$I.conversation_id)', name))
from unnest(array['conversation_events', 'conversation_tokens', 'turns', 'turn_steps']) as name;
select protect_by_binding(name, format(
  'exists (select from knowledge_sources s where s.tenant_id = %1$I.tenant_id and s.id = %1$I.source_id)', name))
from unnest(array['knowledge_documents', 'knowledge_chunks', 'knowledge_files', 'knowledge_tokens']) as name;

-- A bound key writes any event, since what it changes must be told, and reads those of its own part.
select protect_by_binding('events', $$
  ((select bound_bot()) is null or bot_id = (select bound_bot()))
  and ((select bound_environment()) is null or environment_id = (select bound_environment()))
  and ((select bound_workspace()) is null
    or exists (select from bots b where b.tenant_id = events.tenant_id and b.id = events.bot_id)
    or exists (select from environments e where e.tenant_id = events.tenant_id and e.id = events.environment_id))$$,
  'select');
select protect_by_binding('audit_entries', 'false', 'select');

-- An endpoint that a bound key creates keeps the key's bindings, and gets no event from outside of them.
alter table webhooks
  add column bound_workspace_id text default bound_workspace(),
  add column bound_bot_id text default bound_bot(),
  add column bound_environment_id text default bound_environment(),
  -- What the key that set the endpoint up may read. null: a person set it up, who chose among all.
  add column readable_event_types text[];
select protect_by_binding('webhooks', $$
  ((select bound_workspace()) is null or bound_workspace_id = (select bound_workspace()))
  and ((select bound_bot()) is null or bound_bot_id = (select bound_bot()))
  and ((select bound_environment()) is null or bound_environment_id = (select bound_environment()))$$);
select protect_by_binding(name, format(
  'exists (select from webhooks w where w.tenant_id = %1$I.tenant_id and w.id = %1$I.webhook_id)', name))
from unnest(array['webhook_deliveries', 'webhook_queue', 'webhook_replays', 'webhook_secrets', 'webhook_listen_calls']) as name;

-- As its owner, whom no binding limits: an event of a bound key goes to every endpoint of the tenant that wants it.
create or replace function fan_out_event() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into webhook_queue (tenant_id, id, webhook_id, event_id, event_type, conversation_id, position, next_attempt_at, created_at)
  select new.tenant_id, webhook_delivery_id(new.id, w.id), w.id, new.id, new.type, new.conversation_id, new.position, now(), now()
  from webhooks w
  where w.tenant_id = new.tenant_id
    and exists (select from unnest(w.event_types) as pattern where pattern in ('*', new.type)
      or (right(pattern, 2) = '.*' and starts_with(new.type, left(pattern, -1))))
    and (w.environment_id is null or new.environment_id is null or w.environment_id = new.environment_id)
    and (w.bot_ids = '{}' or new.bot_id is null or new.bot_id = any (w.bot_ids))
    and (w.readable_event_types is null or new.type = any (w.readable_event_types))
    and (w.bound_environment_id is null or new.environment_id = w.bound_environment_id)
    and (w.bound_bot_id is null or new.bot_id = w.bound_bot_id)
    and (w.bound_workspace_id is null
      or exists (select from bots b where b.tenant_id = new.tenant_id and b.id = new.bot_id and b.workspace_id = w.bound_workspace_id)
      or exists (select from environments e where e.tenant_id = new.tenant_id and e.id = new.environment_id and e.workspace_id = w.bound_workspace_id))
    -- An endpoint is not told of its own troubles: the others are.
    and not (new.subject_id = w.id and starts_with(new.type, 'webhook.'))
  on conflict do nothing;
  return null;
end $$;

select grant_to_bound_keys();
