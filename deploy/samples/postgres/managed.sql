-- Parley's roles and database on a managed PostgreSQL, where no one is a superuser: Amazon RDS and Aurora, Google Cloud
-- SQL, Azure. Run it once as the administrator that the provider gave you: one with CREATEROLE and CREATEDB, such as
-- `postgres` with rds_superuser or cloudsqlsuperuser. It asks for the passwords of the two roles.
--
--   psql "host=db.example.internal user=postgres dbname=postgres sslmode=verify-full" -v roles=roles.sql -f managed.sql
--
-- roles.sql is apps/server/db/roles.sql of the repository, and /app/db/roles.sql of the image parley/server. To copy it:
--   docker cp "$(docker create parley/server:0.1.0)":/app/db/roles.sql .
--
-- Then, as parley_owner and without a pooler: parley-server migrate
\set ON_ERROR_STOP on

-- Creates roles, sets timeouts of one of them, and makes some members of others. None of that needs a superuser.
\i :roles

-- psql sends only a hash, so that the password is not in the server's log.
\echo 'parley_owner owns the tables and migrates them.'
\password parley_owner
\echo 'parley_app is what the API and the workers connect as.'
\password parley_app

-- Only a member of a role can give it a database. A superuser does not need this.
grant parley_owner to current_user;
create database parley owner parley_owner encoding 'UTF8' template template0;

-- For semantic search, if the provider has pgvector. Then, as parley_owner: parley-server vectors enable
-- \connect parley
-- create extension if not exists vector schema public;

revoke parley_owner from current_user;
