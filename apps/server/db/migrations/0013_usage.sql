-- What was used, a row for each bot and day.
create table usage_days (
  tenant_id    text not null default current_tenant() references tenants,
  day          date not null,
  bot_id       text not null,
  messages     int not null default 0,   -- of visitors
  turns        int not null default 0,
  model_turns  int not null default 0,
  tokens_in    bigint not null default 0,
  tokens_out   bigint not null default 0,
  spend_micros bigint not null default 0, -- millionths of a US dollar
  primary key (tenant_id, day, bot_id)
);
select protect_by_tenant('usage_days');

-- What a plan counts: one row for what is counted and its time. Reserved is spent until it is known to be less.
create table budgets (
  tenant_id text not null default current_tenant() references tenants,
  name      text not null,   -- messages, spend, spend:<bot>, spend:<visitor>
  period    date not null,   -- the first day of it
  used      bigint not null default 0,
  reserved  bigint not null default 0,
  primary key (tenant_id, name, period)
);
select protect_by_tenant('budgets');

-- Money set aside before a model is asked. One that was never settled stays spent: nobody can say that it was not.
create table reservations (
  tenant_id  text not null default current_tenant() references tenants,
  id         text not null,   -- turn and step
  period     date not null,
  names      text[] not null, -- the budgets it was taken from
  micros     bigint not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id)
);
select protect_by_tenant('reservations');
