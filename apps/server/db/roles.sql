-- Once per cluster, by a superuser. The roles may be there already.
-- `parley_owner` runs the migrations and owns every table. `parley_app` is what the server signs in as: it owns nothing,
-- cannot bypass row-level security, and so cannot open the wall between tenants.
do $$ begin create role parley_owner login nosuperuser nobypassrls; exception when duplicate_object or unique_violation then null; end $$;
do $$ begin create role parley_app login nosuperuser nobypassrls; exception when duplicate_object or unique_violation then null; end $$;
