-- What a bot's day was like, counted by whatever changes it: nobody reads conversations to draw a chart.
alter table usage_days
  add conversations int not null default 0,
  add handoffs      int not null default 0,     -- conversations that a person was asked for, or took on, for the first time
  add unresolved    int not null default 0,     -- conversations that the bot alone did not carry: handed off, or left without an answer
  add closed        int not null default 0,
  add answered      int not null default 0,     -- turns
  add unanswered    int not null default 0,
  add ratings       int not null default 0,     -- conversations
  add rating_sum    int not null default 0,
  add helpful_up    int not null default 0,     -- replies
  add helpful_down  int not null default 0,
  add reply_ms      bigint not null default 0,  -- of all turns counted in the buckets
  add reply_buckets int[] not null default '{0,0,0,0,0,0,0,0,0,0,0,0}';  -- by how long; the bounds stand in the code

-- So that a conversation is counted once, and a rating that is changed is changed where it was counted.
alter table conversations
  add is_handed_off boolean not null default false,
  add is_unresolved boolean not null default false,
  add rated_on      date;

-- In how many replies of a day a source was cited.
create table source_days (
  tenant_id text not null default current_tenant() references tenants,
  day       date not null,
  bot_id    text not null,
  source_id text not null,
  citations int not null default 0,
  primary key (tenant_id, day, bot_id, source_id)
);
select protect_by_tenant('source_days');

-- Questions that found no answer. The key is of what was asked without its capitals and punctuation.
-- The wording is somebody's: it goes with the conversation it came from.
create table unanswered_questions (
  tenant_id       text not null default current_tenant() references tenants,
  day             date not null,
  bot_id          text not null,
  question_key    text not null,
  times           int not null default 1,
  example         text not null check (length(example) <= 300),
  conversation_id text collate "C" not null,
  asked_at        timestamptz not null,  -- the last time
  primary key (tenant_id, day, bot_id, question_key),
  constraint conversation_exists foreign key (tenant_id, conversation_id) references conversations on delete cascade
);
create index on unanswered_questions (tenant_id, conversation_id);
select protect_by_tenant('unanswered_questions');

-- The words of conversations. A list rather than a tsvector: under row-level security an index serves only operators that
-- cannot leak, and `=`, `>=` and `<` of text are such. In the order of bytes, so that a range is a prefix.
create table conversation_tokens (
  tenant_id       text not null default current_tenant() references tenants,
  token            text collate "C" not null,
  conversation_id text collate "C" not null,
  primary key (tenant_id, token, conversation_id),
  constraint conversation_exists foreign key (tenant_id, conversation_id) references conversations on delete cascade
);
create index on conversation_tokens (tenant_id, conversation_id, token);  -- whether one conversation has a word, or all that it has
select protect_by_tenant('conversation_tokens', 'select, insert, delete');

-- For the filters of the list of conversations.
create index on conversations (tenant_id, bot_id, last_message_at desc, id desc);
create index on conversations (tenant_id, environment_id, last_message_at desc, id desc);
create index on conversations (tenant_id, assignee_id, last_message_at desc, id desc) where assignee_id is not null;
create index on conversations (tenant_id, rating, last_message_at desc, id desc) where rating is not null;
