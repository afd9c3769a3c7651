-- Run once per cluster, by a superuser, or by a role with CREATEROLE (deploy/samples/postgres/managed.sql). Safe to run again.
-- `parley_owner` runs the migrations and owns every table. The server connects as `parley_app`, which owns nothing and cannot
-- bypass row-level security.
do $$ begin create role parley_owner login nosuperuser nobypassrls; exception when duplicate_object or unique_violation then null; end $$;
do $$ begin create role parley_app login nosuperuser nobypassrls; exception when duplicate_object or unique_violation then null; end $$;
-- No statement and no transaction of the server may take long. Set on the role and not by the connection, because PgBouncer
-- rejects settings it does not know.
alter role parley_app set statement_timeout = '30s';
alter role parley_app set idle_in_transaction_session_timeout = '30s';
-- The sign-in data is in two schemas, one per pool. The server switches to a pool's role for one transaction at a time; that
-- role can access only its own schema, and `parley_app` itself can access neither.
do $$ begin create role parley_customer_pool nologin nosuperuser nobypassrls; exception when duplicate_object or unique_violation then null; end $$;
do $$ begin create role parley_admin_pool nologin nosuperuser nobypassrls; exception when duplicate_object or unique_violation then null; end $$;
-- Cross-tenant queries of platform admins: read-only, and only the columns that a migration granted by name.
do $$ begin create role parley_operator nologin nosuperuser nobypassrls; exception when duplicate_object or unique_violation then null; end $$;
-- A server key that is bound to a workspace, a bot or an environment: the privileges of `parley_app`, within that part of a
-- tenant.
do $$ begin create role parley_bound nologin nosuperuser nobypassrls; exception when duplicate_object or unique_violation then null; end $$;
-- Delivers webhooks for many tenants in one transaction: those that the transaction names, and the columns that a migration
-- granted by name (docs/adr/0071-lanes.md).
do $$ begin create role parley_dispatcher nologin nosuperuser nobypassrls; exception when duplicate_object or unique_violation then null; end $$;
alter role parley_app noinherit;
grant parley_customer_pool, parley_admin_pool, parley_operator, parley_bound, parley_dispatcher to parley_app;
-- Owns one function, which finds a tenant's chunks by their tokens, and reads the columns it needs for that and no other
-- (docs/adr/0045-token-search.md). A migration gives it the function, so `parley_owner` must be a member, but must not
-- inherit its sight of all tenants: hence a role between them that does not inherit.
do $$ begin create role parley_search nologin nosuperuser nobypassrls; exception when duplicate_object or unique_violation then null; end $$;
do $$ begin create role parley_search_member nologin noinherit nosuperuser nobypassrls; exception when duplicate_object or unique_violation then null; end $$;
grant parley_search to parley_search_member;
grant parley_search_member to parley_owner;
