-- What closing a conversation clears, for reopening: docs/adr/0063-inbox.md
alter table conversations
  add column closed_waiting_since timestamptz,
  add column closed_snoozed_until timestamptz;
