// Who may call whom, by the rules of NetworkPolicies: traffic passes if the policies of both ends admit it, and a pod that no
// policy selects admits everything. Only what the chart uses: peers by labels and by network, TCP and UDP ports.
import type { Manifest } from './strict.ts';

export interface Pod {
  namespace: string;
  labels: Record<string, string>;
}
interface Selector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}
interface Peer {
  namespaceSelector?: Selector;
  podSelector?: Selector;
  ipBlock?: { cidr: string; except?: string[] };
}
interface Rule {
  from?: Peer[];
  to?: Peer[];
  ports?: { port: number; protocol: string }[];
}
interface Policy {
  namespace: string;
  spec: { podSelector: Selector; policyTypes: string[]; ingress?: Rule[]; egress?: Rule[] };
}

const matches = ({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Record<string, string>) =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
  matchExpressions.every(({ key, operator, values = [] }) => {
    if (operator !== 'In') throw new Error(`Selectors with ${operator} are not used by the chart, nor read here.`);
    return values.includes(labels[key] ?? '');
  });

function admits(policy: Policy, rules: Rule[], direction: 'from' | 'to', other: Pod | string, port: number): boolean {
  return rules.some((rule) => {
    const peers = rule[direction];
    const isPort = rule.ports === undefined || rule.ports.some((one) => one.port === port && one.protocol === 'TCP');
    return isPort && (peers === undefined || peers.some((peer) => isPeer(policy, peer, other)));
  });
}
function isPeer(policy: Policy, peer: Peer, other: Pod | string): boolean {
  // A pod is not matched by networks here: plugins differ in that, so no rule of the chart may rely on it.
  if (peer.ipBlock)
    return (
      typeof other === 'string' &&
      inNetwork(other, peer.ipBlock.cidr) &&
      !(peer.ipBlock.except ?? []).some((one) => inNetwork(other, one))
    );
  if (typeof other === 'string') return false;
  const isNamespace = peer.namespaceSelector
    ? matches(peer.namespaceSelector, { 'kubernetes.io/metadata.name': other.namespace })
    : other.namespace === policy.namespace;
  return isNamespace && (peer.podSelector === undefined || matches(peer.podSelector, other.labels));
}

const bits = (ip: string) => ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
function inNetwork(ip: string, cidr: string): boolean {
  const [network = '', length = '32'] = cidr.split('/');
  if (network.includes(':')) return false; // the addresses of the tests are IPv4
  const size = 2 ** (32 - Number(length));
  return Math.floor(bits(ip) / size) === Math.floor(bits(network) / size);
}

/** Whether a pod, or a server outside of the cluster by its IP address, reaches another on a TCP port. */
export function createReach(manifests: Manifest[], defaultNamespace: string) {
  const policies = manifests
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .map(({ metadata, spec }) => ({ namespace: metadata.namespace ?? defaultNamespace, spec }) as Policy);
  const passes = (pod: Pod | string, direction: 'from' | 'to', other: Pod | string, port: number): boolean => {
    if (typeof pod === 'string') return true;
    const type = direction === 'from' ? 'Ingress' : 'Egress';
    const own = policies.filter(
      ({ namespace, spec }) =>
        namespace === pod.namespace && spec.policyTypes.includes(type) && matches(spec.podSelector, pod.labels),
    );
    const rules = direction === 'from' ? 'ingress' : 'egress';
    return own.length === 0 || own.some((policy) => admits(policy, policy.spec[rules] ?? [], direction, other, port));
  };
  return (from: Pod | string, to: Pod | string, port: number) =>
    passes(from, 'to', to, port) && passes(to, 'from', from, port);
}
