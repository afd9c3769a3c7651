import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildRenderer, merge, readSample, refusedValues, removeRenderer, render, type Values } from './render.ts';

beforeAll(buildRenderer);
afterAll(removeRenderer);

const minimal = readSample('minimal.yaml');
const withMinimal = (...others: Values[]) => others.reduce(merge, minimal);

const wrong: [string, Values][] = [
  ['a name that does not exist', { api: { replica: 3 } }],
  ['a setting that does not exist', { settings: { DATABASE_POOLSIZE: 3 } }],
  ['a secret as a setting', { settings: { MASTER_KEYS: 'k1:…' } }],
  ['a secret as a value', { secrets: { masterKeys: 'k1:…' } }],
  ['a secret with a value beside its name', { secrets: { masterKeys: { name: 'a', key: 'b', value: 'k1:…' } } }],
  ['a number of replicas that is no number', { worker: { replicas: 'three' } }],
  ['a URL without a scheme', { urls: { api: 'api.chat.example.com' } }],
  ['trust in every proxy', { trustedProxies: ['0.0.0.0/0'] }],
  ['a tag in the name of an image', { image: { server: 'parley/server:1.0.0' } }],
  ['a version that is none', { version: 'latest' }],
  ['an unknown policy for pulling images', { image: { pullPolicy: 'Sometimes' } }],
  ['a private key as a public one', { restate: { identityKeys: ['-----BEGIN PRIVATE KEY-----'] } }],
  ['a peer with a typing error', { networkPolicy: { ingressFrom: [{ namespaceSelectors: {} }] } }],
  ['a schedule that is none', { backup: { schedule: 'nightly' } }],
];
test.each(wrong)('%s: refused', (_name, values) => {
  expect(refusedValues(minimal)).toEqual([]);
  expect(refusedValues(withMinimal(values))).not.toEqual([]);
});

test.each<[string, Values, string]>([
  ['the Secret of a URL', { secrets: { databaseUrl: { name: '' } } }, 'secrets.databaseUrl.name is missing'],
  ['the proxies', { trustedProxies: [] }, 'trustedProxies is missing'],
  ['the keys of Restate', { restate: { identityKeys: [] } }, 'restate.identityKeys is missing'],
  ['who forwards requests', { networkPolicy: { ingressFrom: [] } }, 'networkPolicy.ingressFrom is missing'],
  ['where a database is', { networkPolicy: { valkey: { cidrs: [] } } }, 'set podLabels or cidrs'],
  ['the URL of a portal', { urls: { admin: '' } }, 'urls.admin is missing'],
  [
    'a CDN that an Ingress cannot serve',
    { urls: { cdn: 'https://cdn.chat.example.com' } },
    'urls.cdn must be https://cdn.chat.example.com/cdn',
  ],
  ['a version as its own previous one', { worker: { previousVersions: ['0.1.0'] } }, 'which is the version to install'],
])('%s missing or impossible: the error says what to do', (_name, values, message) => {
  expect(() => render(withMinimal(values))).toThrow(message);
});

test('autoscaling needs a Kubernetes that has it', () => {
  expect(() => render(withMinimal(readSample('managed.yaml')), { kube: '1.20' })).toThrow('Kubernetes 1.23 or newer');
});
