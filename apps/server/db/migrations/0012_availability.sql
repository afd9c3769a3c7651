-- When agents reply, per workspace. Without a row, a workspace is always open.
create table business_hours (
  tenant_id     text collate "C" not null default current_tenant() references tenants,
  workspace_id  text collate "C" not null,
  time_zone     text not null,
  weekly        jsonb,                    -- null: every day, all day
  holidays      jsonb not null default '[]',
  away_message  text not null default '' check (length(away_message) <= 1000),
  reply_minutes int check (reply_minutes between 1 and 10080),
  primary key (tenant_id, workspace_id),
  constraint workspace_exists foreign key (tenant_id, workspace_id) references workspaces
);
select protect_by_tenant('business_hours');

create table teams (
  tenant_id  text collate "C" not null default current_tenant() references tenants,
  id         text collate "C" not null,
  name       text not null check (length(name) between 1 and 80),
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint team_name_taken unique (tenant_id, name)
);
select protect_by_tenant('teams');

create table team_members (
  tenant_id text collate "C" not null default current_tenant() references tenants,
  team_id   text collate "C" not null,
  user_id   text collate "C" not null,
  primary key (tenant_id, team_id, user_id),
  constraint team_exists foreign key (tenant_id, team_id) references teams on delete cascade,
  constraint member_exists foreign key (tenant_id, user_id) references memberships on delete cascade
);
create index on team_members (tenant_id, user_id);
select protect_by_tenant('team_members');

-- Presence and notification settings of members. Heartbeats update `seen_at`, which is in no index.
create table agents (
  tenant_id           text collate "C" not null default current_tenant() references tenants,
  user_id             text collate "C" not null,
  status              text not null default 'away' check (status in ('available', 'away')),
  seen_at             timestamptz,
  assigned_at         timestamptz,  -- when they last got a conversation
  email_after_minutes int default 15 check (email_after_minutes in (5, 15, 60)),  -- null: no emails
  wants_digest        boolean not null default false,
  plays_sound         boolean not null default true,
  shows_desktop       boolean not null default false,
  primary key (tenant_id, user_id),
  constraint member_exists foreign key (tenant_id, user_id) references memberships on delete cascade
) with (fillfactor = 80);
select protect_by_tenant('agents');

-- How conversations that wait for an agent are assigned, per workspace. Without a row, agents choose themselves.
create table assignment_settings (
  tenant_id    text collate "C" not null default current_tenant() references tenants,
  workspace_id text collate "C" not null,
  mode         text not null check (mode in ('manual', 'round_robin')),
  max_open     int not null check (max_open between 1 and 100),
  team_id      text collate "C",
  escalation   jsonb,
  primary key (tenant_id, workspace_id),
  constraint workspace_exists foreign key (tenant_id, workspace_id) references workspaces,
  constraint team_exists foreign key (tenant_id, team_id) references teams
);
create index on assignment_settings (tenant_id, team_id) where team_id is not null;
select protect_by_tenant('assignment_settings');

-- When the next daily email of a workspace is due. Only for tenants in which a member wants it.
create table digests (
  tenant_id    text collate "C" not null default current_tenant() references tenants,
  workspace_id text collate "C" not null,
  due_at       timestamptz not null,
  primary key (tenant_id, workspace_id),
  constraint workspace_exists foreign key (tenant_id, workspace_id) references workspaces
);
select protect_by_tenant('digests');
-- To find the tenants with something due.
create index digests_due on digests (due_at);
select open_to_operators('digests', 'tenant_id, due_at');

select protect_by_binding(name, '(select bound_workspace()) is null or workspace_id = (select bound_workspace())')
from unnest(array['business_hours', 'assignment_settings', 'digests']) as name;

alter table conversations
  add column team_id text collate "C",
  -- Until when the time limits of a waiting conversation were checked, and whether it was escalated.
  add column waiting_checked_at timestamptz,
  add column escalated_at timestamptz;

select grant_to_bound_keys();
