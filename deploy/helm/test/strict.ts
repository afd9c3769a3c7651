// Checks objects of Kubernetes against its schemas, and refuses fields that the schemas do not know. The packages of
// kubernetes-models have the schemas as compiled functions, which ignore such fields: a field that the function has not read is
// one that it does not know.
import { join } from 'node:path';
import { Ajv, type AnySchema } from 'ajv';
import { ownSchemas } from './own-schemas.ts';

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  spec?: unknown;
}

interface Validate {
  (data: unknown): boolean;
  errors?: { instancePath: string; keyword: string; params: object }[] | null;
}

/** The module of each kind that the chart and its samples contain. */
const modules: Record<string, string> = {
  'v1/Service': 'kubernetes-models/_schemas/IoK8sApiCoreV1Service.js',
  'v1/ServiceAccount': 'kubernetes-models/_schemas/IoK8sApiCoreV1ServiceAccount.js',
  'v1/Namespace': 'kubernetes-models/_schemas/IoK8sApiCoreV1Namespace.js',
  'apps/v1/Deployment': 'kubernetes-models/_schemas/IoK8sApiAppsV1Deployment.js',
  'batch/v1/Job': 'kubernetes-models/_schemas/IoK8sApiBatchV1Job.js',
  'batch/v1/CronJob': 'kubernetes-models/_schemas/IoK8sApiBatchV1CronJob.js',
  'batch/v1beta1/CronJob': 'kubernetes-models/_schemas/IoK8sApiBatchV1beta1CronJob.js',
  'policy/v1/PodDisruptionBudget': 'kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget.js',
  'policy/v1beta1/PodDisruptionBudget': 'kubernetes-models/_schemas/IoK8sApiPolicyV1beta1PodDisruptionBudget.js',
  'autoscaling/v2/HorizontalPodAutoscaler':
    'kubernetes-models/_schemas/IoK8sApiAutoscalingV2HorizontalPodAutoscaler.js',
  'networking.k8s.io/v1/Ingress': 'kubernetes-models/_schemas/IoK8sApiNetworkingV1Ingress.js',
  'networking.k8s.io/v1/NetworkPolicy': 'kubernetes-models/_schemas/IoK8sApiNetworkingV1NetworkPolicy.js',
  'gateway.networking.k8s.io/v1/HTTPRoute':
    '@kubernetes-models/gateway-api/_schemas/IoK8sSigsGatewayApiApisV1HTTPRoute.js',
  'monitoring.coreos.com/v1/ServiceMonitor':
    '@kubernetes-models/prometheus-operator/_schemas/ComGithubPrometheusOperatorPrometheusOperatorPkgApisMonitoringV1ServiceMonitor.js',
  'postgresql.cnpg.io/v1/Cluster':
    '@kubernetes-models/cloudnative-pg/_schemas/ComGithubCloudnativePgCloudnativePgApiV1Cluster.js',
  'postgresql.cnpg.io/v1/ScheduledBackup':
    '@kubernetes-models/cloudnative-pg/_schemas/ComGithubCloudnativePgCloudnativePgApiV1ScheduledBackup.js',
};

const ajv = new Ajv({ allErrors: true });
const load = async (kind: string): Promise<Validate> => {
  const own: AnySchema | undefined = ownSchemas[kind];
  if (own) return ajv.compile(own);
  const module = modules[kind];
  if (!module) throw new Error(`There is no schema for ${kind}`);
  // By its file, because not all of these packages export their schemas, and the check of types runs without them.
  const { validate } = (await import(join(import.meta.dirname, '../node_modules', module))) as { validate: Validate };
  return validate;
};

/** What is wrong with an object, one line for each problem. */
export async function problemsOf(manifest: Manifest): Promise<string[]> {
  const kind = `${manifest.apiVersion}/${manifest.kind}`;
  const validate = await load(kind);
  const read = new Map<object, Set<string>>();
  const isValid = validate(recording(manifest, read));
  const wrong = isValid
    ? []
    : (validate.errors ?? []).map((one) => `${one.instancePath} ${one.keyword} ${JSON.stringify(one.params)}`);
  const label = `${manifest.kind} ${manifest.metadata.name}`;
  return [...wrong, ...unread(manifest, '', read)].map((problem) => `${label}: ${problem}`);
}

/** The value, and a note of each field that is read of it. */
function recording(value: unknown, read: Map<object, Set<string>>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const fields = new Set<string>();
  read.set(value, fields);
  return new Proxy(value, {
    get(target, key) {
      if (typeof key === 'string') fields.add(key);
      const inner: unknown = Reflect.get(target, key);
      if (typeof inner !== 'object' || inner === null) return inner;
      const known = wrapped.get(inner) ?? recording(inner, read);
      wrapped.set(inner, known);
      return known;
    },
  });
}
const wrapped = new WeakMap<object, unknown>();

function unread(value: unknown, path: string, read: Map<object, Set<string>>): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const fields = read.get(value);
  return Object.entries(value).flatMap(([key, inner]) =>
    fields?.has(key) ? unread(inner, `${path}/${key}`, read) : [`${path}/${key} is not a field`],
  );
}
