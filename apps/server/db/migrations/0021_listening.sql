-- Somebody who builds on their own machine fetches what an endpoint would be sent: who, until when, and their newest polls.
alter table webhooks add column listener jsonb;

-- Calls that cannot wait in the queue, since somebody waits for the answer: actions and tests. They live for seconds.
create table webhook_listen_calls (
  tenant_id  text not null default current_tenant() references tenants,
  id         text collate "C" not null,
  webhook_id text not null,
  request    jsonb not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  taken_at   timestamptz,             -- given out once: nobody knows what became of one that was taken and not answered
  answer     jsonb,
  primary key (tenant_id, id),
  foreign key (tenant_id, webhook_id) references webhooks on delete cascade
);
create index webhook_listen_calls_open on webhook_listen_calls (tenant_id, webhook_id, created_at) where taken_at is null;
select protect_by_tenant('webhook_listen_calls');
