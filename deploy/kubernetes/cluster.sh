#!/usr/bin/env bash
# The first process of the cluster (started by `start`, in separate namespaces): a network, names, the control plane and
# two nodes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
cd "$CLUSTER_DIR"
hostname kubernetes

mount --make-rshared /
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/lock /run/netns
# Kubelets change settings of the kernel that belong to the machine: they get a copy.
for name in vm/{overcommit_memory,panic_on_oom} kernel/{panic,panic_on_oops} kernel/keys/{root_maxkeys,root_maxbytes}; do
  cat "/proc/sys/$name" >"sysctl-${name##*/}"
  mount --bind "sysctl-${name##*/}" "/proc/sys/$name"
done
for controller in /sys/fs/cgroup/*/; do
  group=$controller${CLUSTER_DIR##*/}
  mkdir -p "$group"
  [ ! -f "$group/cpuset.cpus" ] || {
    cat "$controller/cpuset.cpus" >"$group/cpuset.cpus"
    cat "$controller/cpuset.mems" >"$group/cpuset.mems"
    echo 1 >"$group/cgroup.clone_children"
  }
  mkdir -p "$group"/node-{1,2}
done

# One cable from each node to a switch. The nodes know the networks of their pods, and the first one leads to Services.
ip link set lo up
ip link add nodes type bridge
ip addr add "$HOST_IP/24" dev nodes
ip link set nodes up
sysctl -qw net.ipv4.ip_forward=1
for n in 1 2; do
  ip netns add "node-$n"
  ip link add "node-$n" type veth peer name eth0 netns "node-$n"
  ip link set "node-$n" master nodes up
  nsenter --net="/run/netns/node-$n" bash -euc "
    ip link set lo up && ip addr add $(node_ip $n)/24 dev eth0 && ip link set eth0 up
    ip route add default via $HOST_IP && sysctl -qw net.ipv4.ip_forward=1"
  ip route add "$(pod_network $n)" via "$(node_ip $n)"
done
ip route add "$service_network" via "$(node_ip 1)"

# Names of Services, which a DNS server in the cluster would know, and those of the installation and of a tenant.
touch services.hosts
dnsmasq --conf-file=/dev/null --pid-file="$PWD/dnsmasq.pid" --user=root --no-resolv --no-hosts --local=/#/ --addn-hosts="$PWD/services.hosts" \
  --listen-address="$HOST_IP" --bind-interfaces --address="/$CLUSTER_DOMAIN/$TENANT_DOMAIN/$HOST_IP" --log-facility="$PWD/logs/dns.log"
echo "nameserver $HOST_IP" >resolv.conf
mount --bind resolv.conf "$(realpath /etc/resolv.conf)"
follow_services() {
  local columns=custom-columns=:.spec.clusterIP,:.metadata.name,:.metadata.namespace
  while true; do
    kubectl get services --all-namespaces --watch --no-headers --output "$columns" | while read -r _; do
      kubectl get services --all-namespaces --no-headers --output "$columns" |
        awk '$1 != "None" { print $1, $2 "." $3 ".svc", $2 "." $3 ".svc.cluster.local" }' >services.hosts
      kill -HUP "$(cat dnsmasq.pid)"
    done
    sleep 1
  done
}

certificate() { # NAME OPTION…
  openssl req -x509 -newkey rsa:2048 -noenc -days 30 -subj "/CN=$1" -keyout "$1.key" -out "$1.crt" "${@:2}" 2>/dev/null
}
certificate ca
certificate apiserver -CA ca.crt -CAkey ca.key -addext "subjectAltName=IP:$HOST_IP,DNS:kubernetes.default.svc"
token=$(openssl rand -hex 16)
echo "$token,admin,admin,system:masters" >tokens.csv
kubectl config set-cluster here --server="https://$HOST_IP:6443" --certificate-authority="$PWD/ca.crt"
kubectl config set-credentials admin --token="$token"
kubectl config set-context here --cluster=here --user=admin --namespace=parley
kubectl config use-context here

run() { # PROGRAM OPTION…: its log is in logs
  "$@" >"logs/$1.log" 2>&1 &
}
run etcd --data-dir="$PWD/etcd" --listen-client-urls=http://127.0.0.1:2379 --advertise-client-urls=http://127.0.0.1:2379 \
  --listen-peer-urls=http://127.0.0.1:2380 --log-level=warn
run kube-apiserver --etcd-servers=http://127.0.0.1:2379 --bind-address="$HOST_IP" --advertise-address="$HOST_IP" \
  --service-cluster-ip-range="$service_network" --authorization-mode=RBAC --token-auth-file=tokens.csv \
  --kubelet-preferred-address-types=InternalIP --tls-cert-file=apiserver.crt --tls-private-key-file=apiserver.key \
  --service-account-issuer=https://kubernetes.default.svc --service-account-key-file=apiserver.crt \
  --service-account-signing-key-file=apiserver.key
for _ in $(seq 300); do
  kubectl get --raw /readyz >/dev/null 2>&1 && break
  sleep 0.2
done
run kube-controller-manager --kubeconfig="$KUBECONFIG" --service-account-private-key-file=apiserver.key --root-ca-file=ca.crt \
  --leader-elect=false
run kube-scheduler --kubeconfig="$KUBECONFIG" --leader-elect=false
follow_services &
for n in 1 2; do
  nsenter --net="/run/netns/node-$n" unshare --mount bash "$here/node.sh" "$n" &
done

until [ "$(kubectl get nodes --output name | wc -l)" -eq 2 ]; do sleep 0.5; done
kubectl wait --for=condition=Ready nodes --all --timeout=60s
touch ready
wait -n
echo 'A part of the cluster has ended.'
exit 1
