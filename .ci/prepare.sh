# Sourced by .ci/run and .ci/full: installs what a new machine lacks, builds, and runs the suites.

# `system_packages LANGUAGE… [proxies]` installs in the background, beside what npm fetches: both mostly wait for the network.
lacking=''
system_packages() {
  local need=() sudo='' browser=chromium-headless-shell
  command -v initdb >/dev/null || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || need+=(postgresql)
  command -v valkey-server >/dev/null || command -v redis-server >/dev/null || need+=(redis-server)
  command -v pgbouncer >/dev/null || [ -x /usr/sbin/pgbouncer ] || need+=(pgbouncer)
  command -v pgbackrest >/dev/null || need+=(pgbackrest)
  command -v chromium-headless-shell >/dev/null || need+=(browser)
  command -v ip >/dev/null || [ -x /sbin/ip ] || need+=(iproute2)
  command -v curl >/dev/null || need+=(curl)
  command -v jq >/dev/null || need+=(jq)
  # The languages in which the documentation verifies a signature, and more that only .ci/full needs.
  for language in "$@"; do
    case "$language" in
      python) command -v python3 >/dev/null || need+=(python3) ;;
      go) command -v go >/dev/null || need+=(golang-go) ;;
      ruby) command -v ruby >/dev/null || need+=(ruby) ;;
      php) command -v php >/dev/null || need+=(php-cli) ;;
      java) command -v javac >/dev/null || need+=(default-jdk-headless) ;;
      proxies) # those with a sample configuration
        [ -x /usr/sbin/nginx ] || need+=(nginx-light)
        [ -x /usr/sbin/haproxy ] || need+=(haproxy)
        command -v caddy >/dev/null || need+=(caddy)
        ;;
    esac
  done
  [ ${#need[@]} -gt 0 ] || return 0
  [ "$(id -u)" -eq 0 ] || sudo=sudo
  $sudo apt-get update -q >/dev/null
  apt-cache show "$browser" >/dev/null 2>&1 || browser=chromium
  need=("${need[@]/#browser/$browser}")
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -qy --no-install-recommends "${need[@]}" >/dev/null & lacking=$!
}
wait_for_system_packages() { [ -z "$lacking" ] || wait "$lacking"; }

# promtool and amtool.
alert_programs() {
  local folder
  command -v promtool >/dev/null && command -v amtool >/dev/null && return
  folder=$(deploy/monitoring/programs.sh prometheus prometheus-alertmanager)
  export PATH="$folder:$PATH"
}

# `install_packages FOLDER…`: those of the root, and in the background those of folders with a lockfile of their own.
declare -A installing
install_in() { (cd "$1" && npm ci --no-audit --no-fund --loglevel=error); }
install_packages() {
  unset npm_config_nodedir NPM_CONFIG_NODEDIR # a stock setting may point at the headers of an older Node
  for folder in "$@"; do install_in "$folder" & installing[$folder]=$!; done
  install_in .
  # npm looks for the machine's settings next to its Node, and the project's has none: a proxy's certificates, say.
  npm_config_globalconfig=$(npm config get globalconfig)
  export npm_config_globalconfig PATH="$PWD/node_modules/.bin:$PATH" CI=true
  export NODE_COMPILE_CACHE="$PWD/.stack/compiled" # each of a hundred test files loads the same packages
  node --version
}
wait_for_packages() { for folder in "$@"; do wait "${installing[$folder]}"; done; }

build_all() {
  wait_for_packages apps/docs apps/server/onnx
  npm run --silent build
  timeout 120 sh tools/stack/build-vector.sh || echo 'no gcc, or no sources: tests that need vectors say so and are left out'
}

# A file that failed beside others is retried alone. The last lines name it, with its first failure: it is a defect to find.
status=0
run_tests() {
  npm run --silent "$1" -- "${@:2}" || node tools/testing/retry.ts npm run "$1" || status=$?
}

# What renders the Helm chart where Helm is missing.
sprig_package() {
  command -v go >/dev/null || return 1
  [ -d /usr/share/gocode/src/github.com/Masterminds/sprig ] ||
    DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends golang-github-masterminds-sprig-dev >/dev/null 2>&1
}

# An empty machine, an upgrade under load: needs root and Docker. Says what is missing where it cannot run.
run_drill() {
  local lacks started=''
  [ "$(id -u)" -ne 0 ] || drill_packages
  lacks=$(deploy/drill/run --needs)
  if [ -n "$lacks" ]; then
    echo "drill: left out, because this machine lacks ${lacks//$'\n'/, }"
    return 0
  fi
  if ! docker info >/dev/null 2>&1; then # to build the images
    dockerd >"$results/dockerd.log" 2>&1 & started=$!
    timeout 60 sh -c 'until docker info >/dev/null 2>&1; do sleep 0.2; done'
  fi
  local result=0
  { LOCAL=1 deploy/release.sh && deploy/drill/run; } || result=$?
  [ -z "$started" ] || kill "$started"
  return "$result"
}
drill_packages() {
  local need=()
  command -v dockerd >/dev/null || need+=(docker.io)
  command -v iptables >/dev/null || [ -x /usr/sbin/iptables ] || need+=(iptables)
  command -v dnsmasq >/dev/null || [ -x /usr/sbin/dnsmasq ] || need+=(dnsmasq-base)
  command -v mmdebstrap >/dev/null || need+=(mmdebstrap)
  [ ${#need[@]} -eq 0 ] || DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "${need[@]}" >/dev/null || true
  local plugins=/usr/local/lib/docker/cli-plugins folder
  command -v cosign >/dev/null && docker compose version >/dev/null 2>&1 && return
  # Not in Debian 12: from Debian 13, as programs without dependencies.
  folder=$(mktemp -d)
  mmdebstrap --quiet --variant=extract --include=docker-compose,cosign trixie "$folder" >/dev/null 2>&1 || true
  mkdir -p "$plugins"
  cp "$folder/usr/libexec/docker/cli-plugins/docker-compose" "$plugins/" 2>/dev/null || true
  cp "$folder/usr/bin/cosign" /usr/local/bin/ 2>/dev/null || true
  rm -rf "$folder"
}
