-- backfill contacts by id, 1_000 rows at a time
update contacts set first_seen_at = created_at, last_seen_at = updated_at
where id > :after and id <= :upto and first_seen_at > created_at
