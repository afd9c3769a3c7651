#!/usr/bin/env bash
# The first process of the empty machine (started by `run`, in namespaces of its own). Sets up what a rented server has:
# a network, names for its hosts and Docker. Then runs the drill as someone on the other side of that network.
set -euo pipefail
. deploy/drill/network.sh
hostname drill

# A view of the devices and cgroups of this machine only, and an empty /run: Docker's socket has its usual place.
mkdir -p "$DRILL_DIR"/{cgroup,docker,etc,logs}
mount --rbind /sys/fs/cgroup "$DRILL_DIR/cgroup"
mount -t sysfs sysfs /sys
mount --rbind "$DRILL_DIR/cgroup" /sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/lock /run/netns
ulimit -n "$(ulimit -Hn)"

# Two ends of one cable: the machine, and everybody else. There is no route to anything but each other.
ip link set lo up
ip netns attach machine 1
ip netns add outside
ip link add eth0 type veth peer name eth0 netns outside
ip addr add "$MACHINE_IP/24" dev eth0
ip link set eth0 up
ip route add "$VISITORS" via "$OUTSIDE_IP"
outside() { nsenter --net=/run/netns/outside "$@"; }
outside ip link set lo up
outside ip addr add "$OUTSIDE_IP/24" dev eth0
outside ip link set eth0 up
outside ip route add local "$VISITORS" dev lo # one may connect from every address of this range

# Names: the customer's DNS zone for the product's hosts, and that of the tenant's website and backend.
outside dnsmasq --conf-file=/dev/null --pid-file= --user=root --no-resolv --no-hosts --log-facility="$DRILL_DIR/logs/dns.log" \
  --address="/$DRILL_DOMAIN/$MACHINE_IP" --address="/$TENANT_DOMAIN/$OUTSIDE_IP"
echo "nameserver $OUTSIDE_IP" >"$DRILL_DIR/etc/resolv.conf"
printf '127.0.0.1 localhost drill\n' >"$DRILL_DIR/etc/hosts"
mount --bind "$DRILL_DIR/etc/resolv.conf" "$(realpath /etc/resolv.conf)"
mount --bind "$DRILL_DIR/etc/hosts" /etc/hosts

echo '{}' >"$DRILL_DIR/etc/daemon.json"
dockerd --config-file "$DRILL_DIR/etc/daemon.json" --data-root "$DRILL_DIR/docker" \
  --cgroup-parent "/${DRILL_DIR##*/}" >"$DRILL_DIR/logs/dockerd.log" 2>&1 &
for _ in $(seq 300); do
  docker info >/dev/null 2>&1 && break
  kill -0 $! 2>/dev/null || { tail -20 "$DRILL_DIR/logs/dockerd.log" >&2 && exit 1; }
  sleep 0.1
done

export PATH="$PWD/node_modules/.bin:$PATH"
status=0
outside ${DRILL_COMMAND:-vitest run --config deploy/drill/vitest.config.ts} || status=$?
exit "$status"
