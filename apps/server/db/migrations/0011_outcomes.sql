-- How conversations end: docs/adr/0065-outcomes.md. Conversations without an outcome started before this migration and are
-- not counted.
alter table conversations
  add column channel              text not null default 'website',
  add column language             text collate "C" not null default 'und',  -- of the first message; `und` if unknown
  add column outcome              text,                            -- if it ended now
  add column is_answered          boolean,                         -- the last question; null before the first one
  add column last_reply_id        text collate "C",                -- of the bot, to a question
  add column is_helpful           boolean,                         -- that reply, as rated by the visitor
  add column came_back            boolean not null default false,  -- the visitor started another one within 7 days
  add column handoff_requested_at timestamptz,                     -- the first time, like the two below
  add column agent_joined_at      timestamptz,
  add column agent_replied_at     timestamptz,                     -- after a handoff was requested
  add column rated_at             timestamptz,
  add column rating_comment       text;
alter table conversations add constraint conversations_channel_check check (channel in ('website', 'api')) not valid;

create function add_counts(a int[], b int[]) returns int[] language sql immutable parallel safe as $$
  select array_agg(coalesce(x, 0) + coalesce(y, 0) order by n) from unnest(a, b) with ordinality as both_counts (x, y, n)
$$;
grant execute on function add_counts to parley_app;

-- One row per day on which conversations started, bot, channel and language. A conversation that ends differently, for
-- example because it was rated, moves from one count to another.
create table outcome_days (
  tenant_id              text collate "C" not null default current_tenant() references tenants,
  day                    date not null,
  bot_id                 text collate "C" not null,
  channel                text collate "C" not null,
  language               text collate "C" not null,
  conversations          int not null default 0,
  resolved_confirmed     int not null default 0,
  resolved_assumed       int not null default 0,
  handed_off             int not null default 0,
  abandoned              int not null default 0,
  came_back              int not null default 0,
  ratings                int not null default 0,
  satisfied              int not null default 0,  -- ratings of 4 or 5
  first_responses        int not null default 0,
  first_response_ms      bigint not null default 0,
  first_response_buckets int[] not null default '{}',  -- by duration; the bounds are in the code
  handled                int not null default 0,
  handling_ms            bigint not null default 0,
  handling_buckets       int[] not null default '{}',
  hours                  int[] not null default '{}',  -- conversations by hour of their start, in UTC
  primary key (tenant_id, day, bot_id, channel, language)
);
select protect_by_tenant('outcome_days');
select protect_by_binding('outcome_days',
  'exists (select from bots b where b.tenant_id = outcome_days.tenant_id and b.id = outcome_days.bot_id)');
select grant_to_bound_keys();
