-- What a restore undoes and nothing else remembers. Run it as a superuser against the database as it is BEFORE it is
-- restored, with the moment to which it will be restored:
--
--   psql -d parley -v to="'2026-03-01 12:00:00+00'" -f lost-changes.sql > lost-changes.txt
--
-- and repeat by hand what must not come back: erased visitors and tenants, revoked keys, removed members, ended sessions.
\pset pager off
\echo 'Changes that take away access or data:'
select created_at, tenant_id, action, subject_id, actor_type, actor_id
from audit_entries
where created_at > :to
  and action ~ '(deleted|erased|revoked|rotated|removed|disabled|suspended|archived|exposed|transferred|changed|declined|turned)$'
order by created_at;
\echo 'Erased tenants (SHA-256 of the id):'
select started_at, erased_at, encode(tenant_hash, 'hex') as tenant from directory.erasures where started_at > :to order by 1;
\echo 'All changes, by kind:'
select action, count(*) from audit_entries where created_at > :to group by 1 order by 1;
