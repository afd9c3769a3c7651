// Schemas of the operators that no package has, with only what the samples use.
import type { AnySchema } from 'ajv';

const text = { type: 'string' };
const strings = { type: 'object', additionalProperties: text };
const object = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const listOf = (items: object) => ({ type: 'array', items });
const resources = object({ requests: strings, limits: strings });
const selector = object({
  matchLabels: strings,
  matchExpressions: listOf(
    object({ key: text, operator: { enum: ['In', 'NotIn', 'Exists', 'DoesNotExist'] }, values: listOf(text) }, [
      'key',
      'operator',
    ]),
  ),
});
const peer = object({ namespaceSelector: selector, podSelector: selector });
const manifest = (apiVersion: string, kind: string, spec: object) =>
  object(
    {
      apiVersion: { const: apiVersion },
      kind: { const: kind },
      metadata: object({ name: text, labels: strings }, ['name']),
      spec,
    },
    ['spec'],
  );

export const ownSchemas: Record<string, AnySchema> = {
  // https://github.com/restatedev/restate-operator, crd/RestateCluster.pkl
  'restate.dev/v1/RestateCluster': manifest(
    'restate.dev/v1',
    'RestateCluster',
    object(
      {
        clusterName: text,
        compute: object(
          {
            image: text,
            replicas: { type: 'integer', minimum: 1 },
            env: listOf(object({ name: text, value: text }, ['name', 'value'])),
            resources,
            nodeSelector: strings,
          },
          ['image'],
        ),
        config: text,
        storage: object({ storageClassName: text, storageRequestBytes: { type: 'integer', minimum: 1 } }, [
          'storageRequestBytes',
        ]),
        security: object({
          disableNetworkPolicies: { type: 'boolean' },
          networkPeers: object({ admin: listOf(peer), ingress: listOf(peer), metrics: listOf(peer) }),
          requestSigningPrivateKey: object(
            { version: { const: 'v1' }, secret: object({ secretName: text, key: text }, ['secretName', 'key']) },
            ['version'],
          ),
        }),
      },
      ['compute', 'storage'],
    ),
  ),
  // https://github.com/valkey-io/valkey-operator, api/v1alpha1/valkey_types.go and valkeyacls_types.go
  'valkey.io/v1alpha1/Valkey': manifest(
    'valkey.io/v1alpha1',
    'Valkey',
    object({
      image: text,
      resources,
      workloadType: { enum: ['StatefulSet', 'Deployment'] },
      config: { type: 'object', propertyNames: { not: { pattern: '^cluster-' } }, additionalProperties: text },
      users: listOf(
        object(
          {
            name: text,
            passwordSecret: object({ name: text, keys: listOf(text) }),
            commands: object({ allow: listOf(text), deny: listOf(text) }),
            keys: object({ readWrite: listOf(text), readOnly: listOf(text), writeOnly: listOf(text) }),
            channels: object({ patterns: listOf(text) }),
          },
          ['name'],
        ),
      ),
    }),
  ),
};
