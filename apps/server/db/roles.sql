-- Run once per cluster, by a superuser. Can be repeated: existing roles are kept.
-- `parley_owner` runs the migrations and owns every table. The server connects as `parley_app`, which owns nothing and cannot
-- bypass row-level security, so it cannot mix tenants.
do $$ begin create role parley_owner login nosuperuser nobypassrls; exception when duplicate_object or unique_violation then null; end $$;
do $$ begin create role parley_app login nosuperuser nobypassrls; exception when duplicate_object or unique_violation then null; end $$;
-- No statement and no transaction of the server may take long. Set on the role, not on the connection: PgBouncer rejects
-- connection settings that it does not know.
alter role parley_app set statement_timeout = '30s';
alter role parley_app set idle_in_transaction_session_timeout = '30s';
-- The accounts of each pool are in its own schema. The server switches to the role of a pool for one transaction: that role
-- can access only this schema, and `parley_app` neither.
do $$ begin create role parley_customer_pool nologin nosuperuser nobypassrls; exception when duplicate_object or unique_violation then null; end $$;
do $$ begin create role parley_admin_pool nologin nosuperuser nobypassrls; exception when duplicate_object or unique_violation then null; end $$;
-- Operators' queries across tenants: read-only, and only the columns that a migration granted by name.
do $$ begin create role parley_operator nologin nosuperuser nobypassrls; exception when duplicate_object or unique_violation then null; end $$;
-- Requests of a server key that is bound to a workspace, a bot or an environment: the rights of `parley_app`, within it.
do $$ begin create role parley_bound nologin nosuperuser nobypassrls; exception when duplicate_object or unique_violation then null; end $$;
alter role parley_app noinherit;
grant parley_customer_pool, parley_admin_pool, parley_operator, parley_bound to parley_app;
