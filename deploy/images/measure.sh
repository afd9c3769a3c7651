#!/usr/bin/env bash
# Size, start time, memory and packages of each image, as a table: `deploy/images/measure.sh`. Starts them hardened, as
# deploy/compose does, in a network of its own, and removes everything at the end. Needs the local images
# (`LOCAL=1 deploy/images/build.sh`), because it also starts PostgreSQL, Valkey and Restate.
set -euo pipefail
cd "$(dirname "$0")/../.."
VERSION=${VERSION:-$(sed -n 's/.*"version": "\(.*\)".*/\1/p' package.json | head -1)}
PREFIX=${PREFIX:-parley}
name=parley-measure-$$
secrets=$(mktemp -d)
trap 'docker ps -aq --filter "label=$name" | xargs -r docker rm -fv >/dev/null; docker network rm "$name" >/dev/null 2>&1 || true; rm -rf "$secrets"' EXIT

trap 'exit 1' INT TERM

docker network create --internal "$name" >/dev/null
head -c 24 /dev/urandom | base64 | tr '+/' 'ab' > "$secrets/password"
chmod 644 "$secrets/password"
password=$(cat "$secrets/password")

ip() { docker inspect --format "{{(index .NetworkSettings.Networks \"$name\").IPAddress}}" "$name-$1"; }
run() { # NAME IMAGE [OPTION…] -- [COMMAND…]
  local part=$1 image=$2 options=()
  shift 2
  while [ "$1" != -- ]; do options+=("$1") && shift; done
  shift
  docker run -d --name "$name-$part" --label "$name" --network "$name" --network-alias "$part" --read-only --cap-drop ALL \
    --security-opt no-new-privileges --tmpfs /tmp:mode=1777 "${options[@]}" "$PREFIX/$image:$VERSION" "$@" >/dev/null
}
ready_ms() { # NAME START_MS COMMAND…: how long until the command succeeds
  local part=$1 start=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    (($(date +%s%3N) - start < ${TIMEOUT_MS:-120000})) || { docker logs --tail 3 "$name-$part" >&2; return 1; }
  done
  echo $(($(date +%s%3N) - start))
}
is_up() { curl -sf -m 2 -o /dev/null "http://$(ip "$1"):$2"; }
megabytes() { docker stats --no-stream --format '{{.MemUsage}}' "$name-$1" | sed 's/MiB.*//' | awk '{printf "%.0f", $1 * 1.048576}'; }
packages() { # in a status file of dpkg, or in one file for each
  docker create --name "$name-files" --label "$name" "$PREFIX/$1:$VERSION" >/dev/null 2>&1
  docker cp "$name-files:/var/lib/dpkg" - 2>/dev/null | tar -xO --wildcards 'dpkg/status' 'dpkg/status.d/*' 2>/dev/null | grep -c '^Package:' || true
  docker rm "$name-files" >/dev/null
}
size() { docker image inspect --format '{{.Size}}' "$PREFIX/$1:$VERSION" | awk '{printf "%.0f", $1 / 1e6}'; }
line() { printf '| %s | %s | %s | %s | %s |\n' "$1" "$(size "$2")" "$(packages "$2")" "$3" "$(megabytes "$4")"; }

echo '| Container | Image, MB | Debian packages | Ready after, ms | Memory, MB |'
echo '|---|---|---|---|---|'
start=$(date +%s%3N)
run postgres postgres -e POSTGRES_PASSWORD_FILE=/run/password -e POSTGRES_DB=parley -v "$secrets/password:/run/password:ro" --tmpfs /run/postgresql:uid=10002 -- postgres
line 'postgres, empty volume' postgres "$(ready_ms postgres "$start" docker exec "$name-postgres" pg_isready -h 127.0.0.1)" postgres
start=$(date +%s%3N)
run valkey valkey -- --save '' --protected-mode no
line valkey valkey "$(ready_ms valkey "$start" docker exec "$name-valkey" valkey-cli ping)" valkey
start=$(date +%s%3N)
run restate restate -v /restate-data -e RESTATE_DEFAULT_NUM_PARTITIONS=8 -e RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE=256MiB \
  -e RESTATE_LISTEN_MODE=tcp -e RESTATE_BIND_ADDRESS=0.0.0.0:5122 -e RESTATE_ADVERTISED_ADDRESS=http://restate:5122 \
  -e RESTATE_INGRESS__BIND_ADDRESS=0.0.0.0:8080 -e RESTATE_ADMIN__BIND_ADDRESS=0.0.0.0:9070 -e RESTATE_DISABLE_TELEMETRY=true -- --node-name=one
line 'restate, 8 partitions' restate "$(ready_ms restate "$start" is_up restate 9070/health)" restate

psql() { docker exec -i "$name-postgres" psql -q -v ON_ERROR_STOP=1 -d parley "$@"; }
psql < apps/server/db/roles.sql
psql <<SQL
alter role parley_owner password '$password'; alter role parley_app password '$password';
alter database parley owner to parley_owner; grant create on schema public to parley_owner; create extension vector schema public;
SQL
settings=(
  -e PARLEY_ENV=development -e METRICS_TOKEN="$password" -e MASTER_KEYS="one:$(head -c 32 /dev/urandom | base64)"
  -e VALKEY_URL=redis://valkey:6379 -e RESTATE_INGRESS_URL=http://restate:8080 -e RESTATE_ADMIN_URL=http://restate:9070
  -e PUBLIC_URL=http://localhost:3000 -e STOP_NOTICE_SECONDS=0
)
start=$(date +%s%3N)
run migrate server -e "DATABASE_URL=postgres://parley_owner:$password@postgres:5432/parley" -- migrate
[ "$(docker wait "$name-migrate")" = 0 ] || { docker logs "$name-migrate" >&2; exit 1; }
echo "| migrate, all migrations | | | $(($(date +%s%3N) - start)) | |"
app=(-e "DATABASE_URL=postgres://parley_app:$password@postgres:5432/parley")
start=$(date +%s%3N)
run api server "${settings[@]}" "${app[@]}" -- api
line api server "$(ready_ms api "$start" is_up api 3000/health/ready)" api
start=$(date +%s%3N)
run worker server "${settings[@]}" "${app[@]}" -e WORKER_URL=http://worker:9080 -- worker
line worker server "$(ready_ms worker "$start" is_up worker 9464/health/ready)" worker
for portal in portal:3100 admin:3101; do
  part=${portal%:*}
  start=$(date +%s%3N)
  run "$part" portals -e PORTAL_URL="http://localhost:${portal#*:}" -e API_URL=http://api:3000 -e STOP_NOTICE_SECONDS=0 -e "COOKIE_KEYS=one:$(head -c 32 /dev/urandom | base64)" -- "$part"
  line "$part" portals "$(ready_ms "$part" "$start" is_up "$part" "${portal#*:}/health/ready")" "$part"
done
start=$(date +%s%3N)
run docs docs -- run --config /etc/caddy/Caddyfile
line docs docs "$(ready_ms docs "$start" is_up docs 8080/)" docs

echo
for part in api worker portal admin docs; do
  shell=$(docker exec "$name-$part" /bin/sh -c true >/dev/null 2>&1 && echo 'has a shell' || echo 'no shell')
  pid=$(docker inspect --format '{{.State.Pid}}' "$name-$part")
  echo "$part: $shell, $(awk '/^Uid/{print "uid " $2} /^CapEff/{print "capabilities " $2} /^NoNewPrivs/{print "no new privileges " $2}' "/proc/$pid/status" | paste -sd, | sed 's/,/, /g')"
done
docker exec "$name-api" node /app/health.js http://127.0.0.1:3000/health/ready && echo 'api: health check passes'
docker exec "$name-worker" node /app/health.js http://127.0.0.1:9464/health/ready && echo 'worker: health check passes'
