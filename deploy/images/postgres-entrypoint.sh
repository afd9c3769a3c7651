#!/bin/sh
# Runs the given command. Before `postgres`, creates a cluster in an empty $PGDATA:
#   POSTGRES_PASSWORD_FILE  the password of the superuser `postgres`; required
#   POSTGRES_DB             a database to create, owned by the superuser
# Other settings are options of the command: `postgres -c shared_buffers=1GB`.
set -eu

if [ "${1:-}" = postgres ] && [ ! -s "$PGDATA/PG_VERSION" ]; then
  [ -r "${POSTGRES_PASSWORD_FILE:-}" ] || { echo 'Set POSTGRES_PASSWORD_FILE to a file with a password.' >&2; exit 1; }
  # A cluster that was not finished is never started: it appears under its name when it is complete.
  new="$PGDATA/.new"
  rm -rf "$new"
  initdb --pgdata="$new" --username=postgres --pwfile="$POSTGRES_PASSWORD_FILE" --auth-local=peer --auth-host=scram-sha-256 \
    --data-checksums --encoding=UTF8 --locale-provider=builtin --builtin-locale=C.UTF-8 --locale=C.UTF-8
  echo 'host all all all scram-sha-256' >> "$new/pg_hba.conf"
  if [ "${POSTGRES_DB:-postgres}" != postgres ]; then
    echo "create database \"$POSTGRES_DB\"" | postgres --single -D "$new" postgres >/dev/null
  fi
  version="$new/PG_VERSION"
  mv "$version" "$PGDATA/.version"
  mv "$new"/* "$PGDATA/"
  rmdir "$new"
  mv "$PGDATA/.version" "$PGDATA/PG_VERSION"
fi

if [ "${1:-}" = postgres ]; then
  shift
  set -- postgres -c listen_addresses='*' -c unix_socket_directories=/run/postgresql "$@"
fi
exec "$@"
