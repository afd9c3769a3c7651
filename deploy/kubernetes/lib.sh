# shellcheck shell=bash disable=SC2034
# Sourced by the scripts here: where things are, and the networks of the cluster.
cache=${XDG_CACHE_HOME:-$HOME/.cache}/parley/kubernetes
# Debian's programs are unpacked here and not installed, so that the machine stays as it is.
root=$cache/root
bin=$cache/bin
kubernetes_programs=(kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy kubectl)

export CLUSTER_DIR=${CLUSTER_DIR:-/var/tmp/parley-kubernetes}
# Apart from 10.0.0.0/8, from which the visitors of `npm run load` come. The first address is that of what runs next to the nodes.
export HOST_IP=172.29.0.1
export CLUSTER_DOMAIN=chat.example.com TENANT_DOMAIN=shop.example
node_ip() { echo "172.29.0.1$1"; }
pod_network() { echo "172.30.$1.0/24"; }
pod_networks=172.30.0.0/16
service_network=172.31.0.0/16

PATH=$bin:$root/usr/sbin:$root/usr/bin:$PATH
export LD_LIBRARY_PATH=$root/usr/lib/x86_64-linux-gnu
export XTABLES_LIBDIR=$LD_LIBRARY_PATH/xtables
export KUBECONFIG=$CLUSTER_DIR/admin.conf
