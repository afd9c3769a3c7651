-- Once per cluster, by a superuser. The roles may be there already.
-- `parley_owner` runs the migrations and owns every table. `parley_app` is what the server signs in as: it owns nothing,
-- cannot bypass row-level security, and so cannot open the wall between tenants.
do $$ begin create role parley_owner login nosuperuser nobypassrls; exception when duplicate_object or unique_violation then null; end $$;
do $$ begin create role parley_app login nosuperuser nobypassrls; exception when duplicate_object or unique_violation then null; end $$;
-- Nothing of the server's may run or sit in a transaction for long. Said of the role and not by the connection: PgBouncer
-- refuses settings that it does not know.
alter role parley_app set statement_timeout = '30s';
alter role parley_app set idle_in_transaction_session_timeout = '30s';
-- The sign-in of people lives in two schemas, one a pool. The server enters one for a transaction at a time, as the role
-- that reaches that schema and no other; by itself it reaches neither.
do $$ begin create role parley_customer_pool nologin nosuperuser nobypassrls; exception when duplicate_object or unique_violation then null; end $$;
do $$ begin create role parley_admin_pool nologin nosuperuser nobypassrls; exception when duplicate_object or unique_violation then null; end $$;
-- What operators look for across tenants: reads, and only the columns that a migration opened to it by name.
do $$ begin create role parley_operator nologin nosuperuser nobypassrls; exception when duplicate_object or unique_violation then null; end $$;
-- A server key that is bound to a workspace, a bot or an environment: what `parley_app` may do, in that part of a tenant.
do $$ begin create role parley_bound nologin nosuperuser nobypassrls; exception when duplicate_object or unique_violation then null; end $$;
alter role parley_app noinherit;
grant parley_customer_pool, parley_admin_pool, parley_operator, parley_bound to parley_app;
-- Owns one function, which finds a tenant's chunks by their tokens, and reads the columns it needs for that and no other
-- (docs/adr/0045-token-search.md). A migration gives it the function, so `parley_owner` must be a member, but must not
-- inherit its sight of all tenants: hence a role between them that does not inherit.
do $$ begin create role parley_search nologin nosuperuser nobypassrls; exception when duplicate_object or unique_violation then null; end $$;
do $$ begin create role parley_search_member nologin noinherit nosuperuser nobypassrls; exception when duplicate_object or unique_violation then null; end $$;
grant parley_search to parley_search_member;
grant parley_search_member to parley_owner;
