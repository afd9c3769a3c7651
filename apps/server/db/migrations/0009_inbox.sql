-- What agents see of a conversation in the inbox: docs/adr/0063-inbox.md
alter table conversations
  add column tags             text[] not null default '{}',
  add column snoozed_until    timestamptz,
  add column closed_from      text,                      -- the state before it was closed, for reopening
  add column visitor_preview  text not null default '',  -- the visitor's last message
  add column visitor_seq      int not null default 0,    -- its position in the log
  add column agent_read_seq   int not null default 0,    -- what agents have read
  add column visitor_read_seq int not null default 0;    -- what the visitor has read

-- Replies that agents insert and edit before they send them.
create table saved_replies (
  tenant_id  text collate "C" not null default current_tenant() references tenants,
  id         text collate "C" not null,
  name       text not null,
  text       text not null,
  created_by text collate "C" not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id)
);
select protect_by_tenant('saved_replies');
select protect_by_binding('saved_replies', 'false');

-- Filters of the inbox, saved under a name, for one member or for all.
create table inbox_views (
  tenant_id  text collate "C" not null default current_tenant() references tenants,
  id         text collate "C" not null,
  user_id    text collate "C",                           -- null: shared with all members
  name       text not null,
  filters    jsonb not null,
  created_by text collate "C" not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id)
);
select protect_by_tenant('inbox_views');
select protect_by_binding('inbox_views', 'false');
select grant_to_bound_keys();
