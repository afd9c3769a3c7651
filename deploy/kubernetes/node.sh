#!/usr/bin/env bash
# A node of the cluster, in its own network: containerd, kubelet and kube-proxy. `node.sh NUMBER`, started by cluster.sh.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
n=$1
dir=$CLUSTER_DIR/node-$n
mkdir -p "$dir"/{lib,log} "$CLUSTER_DIR/logs/node-$n"
cd "$CLUSTER_DIR"
mount --make-rshared /
mount -t tmpfs -o mode=755 tmpfs /run
mount --bind "$dir/lib" /var/lib
mount --bind "$dir/log" /var/log

cat >"$dir/net.conflist" <<END
{
  "cniVersion": "0.3.1",
  "name": "pods",
  "plugins": [
    {
      "type": "bridge",
      "bridge": "pods",
      "isGateway": true,
      "hairpinMode": true,
      "ipam": {
        "type": "host-local",
        "ranges": [[{ "subnet": "$(pod_network "$n")" }]],
        "routes": [{ "dst": "0.0.0.0/0" }]
      }
    }
  ]
}
END
mkdir "$dir/cni"
mv "$dir/net.conflist" "$dir/cni"
cat >"$dir/containerd.toml" <<END
version = 2
disabled_plugins = ["io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.devmapper"]
[plugins."io.containerd.internal.v1.opt"]
  path = "$dir/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "docker.io/parley/pause:1"
  restrict_oom_score_adj = true # in a container of somebody else's, a process may not lower it
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "$root/usr/lib/cni"
    conf_dir = "$dir/cni"
END

run() { # PROGRAM OPTION…
  "$@" >"logs/node-$n/$1.log" 2>&1 &
}
run containerd --config "$dir/containerd.toml"
until ctr version >/dev/null 2>&1; do sleep 0.1; done
for image in images/*.tar; do ctr --namespace k8s.io images import "$image"; done
run kubelet --kubeconfig="$KUBECONFIG" --hostname-override="node-$n" --node-ip="$(node_ip "$n")" \
  --container-runtime=remote --container-runtime-endpoint=unix:///run/containerd/containerd.sock \
  --pod-infra-container-image=docker.io/parley/pause:1 --cgroup-root="/${CLUSTER_DIR##*/}/node-$n" \
  --cluster-dns="$HOST_IP" --cluster-domain=cluster.local --resolv-conf="$CLUSTER_DIR/resolv.conf" \
  --authorization-mode=AlwaysAllow --eviction-hard='memory.available<100Mi' --image-gc-high-threshold=100 --image-gc-low-threshold=99 \
  --volume-plugin-dir="$dir/volume-plugins" --node-labels="topology.kubernetes.io/zone=zone-$n"
run kube-proxy --kubeconfig="$KUBECONFIG" --hostname-override="node-$n" --proxy-mode=iptables --cluster-cidr="$pod_networks" \
  --conntrack-max-per-core=0 --conntrack-tcp-timeout-established=0 --conntrack-tcp-timeout-close-wait=0
# The kubelet deletes the logs of pods that have ended.
while sleep 2; do cp --recursive --link --no-clobber "$dir/log/pods" "logs/node-$n/" 2>/dev/null || true; done &
wait -n
