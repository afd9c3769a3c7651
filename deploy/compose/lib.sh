# shellcheck shell=bash
# Shared by setup, upgrade, rollback, backup and restore. Not a command.
set -euo pipefail
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
cd "$here"

# Compose prefers the environment to .env, and `VERSION` or `TLS` may mean something else in the caller's.
[ ! -f .env ] || for name in $(sed -n 's/^\([A-Z][A-Z0-9_]*\)=.*/\1/p' .env); do unset "$name"; done

say() { printf '\n==> %s\n' "$*"; }
fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

# One of these commands at a time. The lock ends with the process and with what it started, however they end: after a kill,
# the next command waits for the step that still runs.
lock() {
  exec 9>.lock
  flock -n 9 || { echo 'Waiting for another command in this folder …' && flock -w 300 9; } || fail 'It still runs. Nothing was changed.'
}

setting() { sed -n "s/^$1=//p" .env | tail -n 1 | tr -d "'"; }

# set_settings NAME=VALUE…: all of them or none, also if this is interrupted.
set_settings() {
  cp -p .env .env.new
  for pair; do
    name=${pair%%=*}
    if grep -q "^$name=" .env.new; then
      sed "s|^$name=.*|$pair|" .env.new >.env.newer
    else
      { cat .env.new && printf '%s\n' "$pair"; } >.env.newer
    fi
    cat .env.newer >.env.new
  done
  rm -f .env.newer
  mv .env.new .env
}

require_setup() { [ -f .env ] || fail 'This folder is not set up. Run: ./setup'; }

other() { if [ "$1" = blue ]; then echo green; else echo blue; fi; }
version_of() { setting "$(echo "$1" | tr '[:lower:]' '[:upper:]')_VERSION"; }
# Whether version $1 is older than $2.
is_older() { [ "$1" != "$2" ] && [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }
# An upgrade or a roll-back that has not ended: both slots may run.
is_switching() { case ",$(setting COMPOSE_PROFILES)," in *,blue,*green,* | *,green,*blue,*) true ;; *) false ;; esac; }
# COMPOSE_PROFILES with these slots, and what else is in there, such as `monitoring`.
profiles_with() { setting COMPOSE_PROFILES | tr ',' '\n' | grep -vx -e blue -e green | { cat && printf '%s\n' "$@"; } | sed '/^$/d' | paste -sd, -; }

# The name of this deployment, which its volumes are labelled with.
project() { docker compose config --format json | grep -m 1 -oE '"name": "[^"]+"' | cut -d '"' -f 4; }
compose() { docker compose "$@"; }
# Commands of parley-server, in the version given first. `-T`: works without a terminal.
cli() {
  wanted=$1
  shift
  VERSION=$wanted compose run --rm -T --no-deps cli "$@"
}
start() { compose up -d --no-deps --no-build --wait --wait-timeout 300 "$@"; }

# Everything that .env names; waits for what serves people.
start_all() {
  slot=$(setting ACTIVE)
  compose up -d --wait --wait-timeout 300 "api-$slot" "worker-$slot" "portal-$slot" "admin-$slot" "docs-$slot" proxy
  compose up -d
}

# switch SLOT: everything runs in this slot, and nothing in the other. Each step can be repeated, so that a switch that was
# interrupted continues when it is started again. No request fails: the proxy sends requests to either slot while both run,
# and a process that stops says so for six seconds before it closes its connections.
switch() {
  to=$1
  from=$(other "$to")
  new=$(version_of "$to")
  old=$(version_of "$from")
  set_settings "COMPOSE_PROFILES=$(profiles_with "$from" "$to")"

  say "Starting the worker of $new"
  start "worker-$to"
  # A version that Restate knows from an earlier time gets no new work by itself.
  [ "$(new_work_of "$new")" = yes ] || cli "$new" deployments activate "$new"
  cli "$new" deployments list
  [ "$(new_work_of "$new")" = yes ] || fail "New work does not go to $new. Its log: docker compose logs worker-$to"

  say "Starting API, portals and docs of $new"
  start "api-$to"
  start "portal-$to" "admin-$to" "docs-$to"
  sleep 3 # the proxy checks once a second which of them are ready

  say "Stopping API, portals and docs of $old"
  compose stop "portal-$from" "admin-$from" "docs-$from"
  compose stop "api-$from"

  say "Moving unfinished work from $old to $new"
  cli "$new" deployments drain "$old"
  compose stop "worker-$from"
  # After a roll-back, nothing calls what only the newer version has.
  cli "$new" deployments remove "$old" $(is_older "$new" "$old" && echo --drop-services)
  compose rm --force "portal-$from" "admin-$from" "docs-$from" "api-$from" "worker-$from"

  set_settings "ACTIVE=$to" "VERSION=$new" "COMPOSE_PROFILES=$(profiles_with "$to")"
}
new_work_of() { cli "$new" deployments list | awk -v version="$1" '$1 == version { print $2 }'; }
