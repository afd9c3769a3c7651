-- On which pages a bot's widget was seen: of the tenant's own sites, and nothing of who was there.
create table widget_installs (
  tenant_id     text not null default current_tenant() references tenants,
  bot_id        text not null,
  origin        text not null check (length(origin) <= 300),
  first_seen_at timestamptz not null,
  last_seen_at  timestamptz not null,   -- to some minutes
  primary key (tenant_id, bot_id, origin),
  constraint bot_exists foreign key (tenant_id, bot_id) references bots
);
select protect_by_tenant('widget_installs', 'select, insert, update');
