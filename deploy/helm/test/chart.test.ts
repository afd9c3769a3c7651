import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { createReach, type Pod } from './reach.ts';
import {
  buildRenderer,
  chart,
  merge,
  readSample,
  removeRenderer,
  render,
  samples,
  type RenderOptions,
  type Values,
} from './render.ts';
import { problemsOf, type Manifest } from './strict.ts';

beforeAll(buildRenderer);
afterAll(removeRenderer);

const minimal = readSample('minimal.yaml');
const withMinimal = (...others: Values[]) => others.reduce(merge, minimal);
const operators = withMinimal(readSample('operators.yaml'));

/** Values that differ in everything that a template decides by. */
const sets: Record<string, { values: Values; options?: RenderOptions }> = {
  minimal: { values: minimal },
  managed: { values: withMinimal(readSample('managed.yaml')) },
  operators: { values: operators },
  small: { values: withMinimal(readSample('small.yaml')) },
  'an upgrade': { values: withMinimal(readSample('upgrade.yaml')) },
  'an upgrade with the operators and everything else on': {
    values: withMinimal(readSample('managed.yaml'), readSample('operators.yaml'), readSample('upgrade.yaml'), {
      ingress: { enabled: true },
      urls: { cdn: 'https://cdn.chat.example.com/cdn' },
    }),
  },
  'Kubernetes 1.20': { values: operators, options: { kube: '1.20' } },
  'Kubernetes 1.21': { values: withMinimal(readSample('upgrade.yaml')), options: { kube: '1.21' } },
  'another name and namespace': { values: minimal, options: { release: 'chat', namespace: 'customer-support' } },
  'a registry and digests': {
    values: withMinimal({
      image: {
        registry: 'registry.example.com:5000/parley',
        pullPolicy: 'Always',
        pullSecrets: ['registry'],
        digests: { server: `sha256:${'a'.repeat(64)}`, portals: `sha256:${'b'.repeat(64)}` },
      },
    }),
  },
  'every secret': {
    values: withMinimal({
      localEmbeddings: false,
      secrets: Object.fromEntries(
        [
          'models',
          'embeddings',
          'oidcClients',
          'captcha',
          'restateIngressToken',
          'restateAdminToken',
          'valkeySentinelPassword',
          'awsSecretAccessKey',
          'vaultToken',
          'egressCa',
        ].map((name) => [name, { name: 'others' }]),
      ),
      worker: { previousVersions: ['0.0.9'] },
    }),
  },
  'places for pods': {
    values: withMinimal(
      Object.fromEntries(
        ['api', 'worker', 'portal', 'admin', 'docs'].map((name) => [
          name,
          {
            nodeSelector: { pool: 'parley' },
            tolerations: [{ key: 'parley', operator: 'Exists' }],
            priorityClassName: 'high',
            podAnnotations: { a: 'b' },
            podLabels: { c: 'd' },
          },
        ]),
      ),
      { serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/parley' } } },
    ),
  },
  'an API and worker alone': {
    values: withMinimal({
      portal: { enabled: false },
      admin: { enabled: false },
      docs: { enabled: false },
      urls: { portal: '', admin: '', docs: '' },
      ingress: { enabled: false },
    }),
  },
  'settings of all types': {
    values: withMinimal({
      settings: { DATABASE_POOL_SIZE: 20, SIGNUP: 'open', WEBHOOK_LANES: 1_000_000, SIGNING_KEY_DAYS: 1.5 },
    }),
  },
};

test.each(Object.entries(sets))(
  'renders objects that Kubernetes knows every field of: %s',
  async (_name, { values, options }) => {
    const manifests = render(values, options);
    expect((await Promise.all(manifests.map(problemsOf))).flat()).toEqual([]);
    const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.namespace} ${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
    for (const { metadata } of manifests) expect(metadata.name).toMatch(/^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/);
  },
);

test('a field with a typing error is refused, wherever it is', async () => {
  const deployment = render(minimal).find(({ kind }) => kind === 'Deployment');
  const text = JSON.stringify(deployment);
  for (const [right, wrong] of [
    ['readOnlyRootFilesystem', 'readOnlyRootFileSystem'],
    ['"readinessProbe"', '"readynessProbe"'],
    ['"replicas"', '"replica"'],
  ] as const) {
    expect(text).toContain(right);
    const problems = await problemsOf(JSON.parse(text.replace(right, wrong)) as Manifest);
    expect(problems.join('\n')).toContain('is not a field');
  }
  expect(await problemsOf(JSON.parse(text.replace('"replicas":2', '"replicas":"two"')) as Manifest)).not.toEqual([]);
});

test('the samples of databases are valid for their operators, and fit the roles of the database', async () => {
  const read = (name: string) =>
    parseAllDocuments(readFileSync(join(samples, 'databases', name), 'utf8')).map((one) => one.toJS() as Manifest);
  const files = ['cloudnative-pg.yaml', 'valkey.yaml', 'restate.yaml'].map(read);
  expect((await Promise.all(files.flat().map(problemsOf))).flat()).toEqual([]);

  const { managed } = (files.flat()[0] as Manifest).spec as {
    managed: { roles: { name: string; inRoles: string[]; inherit?: boolean }[] };
  };
  const roles = readFileSync(join(chart, '../../../apps/server/db/roles.sql'), 'utf8');
  const [, granted = ''] = /^grant (.+) to parley_app;$/m.exec(roles) ?? [];
  expect(managed.roles[0]).toMatchObject({ name: 'parley_app', inherit: false, inRoles: granted.split(', ') });
});

interface Container {
  name: string;
  image: string;
  securityContext: object;
  resources: { requests: object; limits: { memory: string } };
  env?: { name: string; value?: string }[];
  args?: string[];
  livenessProbe?: object;
  readinessProbe?: object;
}
interface PodSpec {
  securityContext: object;
  automountServiceAccountToken: boolean;
  terminationGracePeriodSeconds?: number;
  containers: Container[];
  initContainers?: Container[];
  volumes: object[];
}
interface Workload {
  spec: {
    replicas?: number;
    template: { metadata: { labels: Record<string, string> }; spec: PodSpec };
    jobTemplate: { spec: Workload['spec'] };
  };
}
const workloads = (manifests: Manifest[]) =>
  manifests
    .filter(({ kind }) => ['Deployment', 'Job', 'CronJob'].includes(kind))
    .map((one) => {
      const { spec } = one as unknown as Workload;
      return { ...one, template: one.kind === 'CronJob' ? spec.jobTemplate.spec.template : spec.template };
    });

test('every container runs as the restricted pod security standard asks, within limits, and without a token', () => {
  for (const { template } of workloads(render(operators))) {
    const { spec } = template;
    expect(spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: expect.any(Number),
        seccompProfile: { type: 'RuntimeDefault' },
      },
    });
    for (const container of [...spec.containers, ...(spec.initContainers ?? [])]) {
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(container.resources).toMatchObject({
        requests: { cpu: expect.any(String), memory: expect.any(String) },
        limits: { memory: expect.any(String) },
      });
    }
  }
});

test('a process has the time that its settings let it take to stop', () => {
  for (const { template, kind } of workloads(render(withMinimal({ stop: { noticeSeconds: 7, graceSeconds: 40 } }))))
    if (kind === 'Deployment') expect(template.spec.terminationGracePeriodSeconds).toBe(57);
});

test('no object has a secret, and a pod gets only the secrets it needs', () => {
  const manifests = render(
    merge(operators, { worker: { previousVersions: ['0.0.9'] }, secrets: { restateAdminToken: { name: 'parley' } } }),
  );
  expect(manifests.map(({ kind }) => kind)).not.toContain('Secret');
  const secretsOf = (component: string) => {
    const found = workloads(manifests).filter(
      ({ template }) => template.metadata.labels['app.kubernetes.io/component'] === component,
    );
    return [...JSON.stringify(found.map(({ template }) => template.spec.volumes)).matchAll(/"path":"(\w+)"/g)].map(
      ([, name]) => name,
    );
  };
  expect(secretsOf('migrate')).toEqual(['owner_database_url']);
  expect(secretsOf('drain')).toEqual(['restate_admin_token']);
  expect(secretsOf('backup')).toEqual(['backup_database_url', 'backup_passphrase']);
  expect(secretsOf('portal')).toEqual(['cookie_keys']);
  expect(secretsOf('docs')).toEqual([]);
  expect(secretsOf('api')).not.toContain('owner_database_url');
});

test('in an upgrade, each version of the worker has its own URL, and only the previous one is drained', () => {
  const manifests = render(withMinimal(readSample('upgrade.yaml')));
  const workers = workloads(manifests).filter(
    ({ kind, template }) =>
      kind === 'Deployment' && template.metadata.labels['app.kubernetes.io/component'] === 'worker',
  );
  const urls = workers.map(
    ({ template }) => template.spec.containers[0]?.env?.find(({ name }) => name === 'WORKER_URL')?.value,
  );
  expect(urls).toEqual(['http://parley-worker-0-2-0.parley.svc:9080', 'http://parley-worker-0-1-0.parley.svc:9080']);
  expect(workers.map(({ template }) => template.spec.containers[0]?.image)).toEqual([
    'parley/server:0.2.0',
    'parley/server:0.1.0',
  ]);
  const drains = workloads(manifests).filter(({ metadata }) => metadata.name.includes('-drain-'));
  expect(drains.map(({ template }) => template.spec.containers[0])).toMatchObject([
    { image: 'parley/server:0.2.0', args: ['deployments', 'drain', '0.1.0', '--wait', '--timeout', '300'] },
  ]);

  // The pods of the version that ran before are left alone.
  const podOf = (all: Manifest[], name: string) =>
    workloads(all).find(({ metadata }) => metadata.name === name)?.template;
  expect(podOf(manifests, 'parley-worker-0-1-0')).toEqual(podOf(render(minimal), 'parley-worker-0-1-0'));
});

test('passkeys work on every host of the sample', () => {
  const { urls, settings } = minimal as { urls: Record<string, string>; settings: Record<string, string> };
  const domain = settings['PASSKEY_DOMAIN'];
  const hosts = ['api', 'portal', 'admin'].map((name) => new URL(urls[name] ?? '').hostname);
  expect(hosts.filter((host) => !`.${host}`.endsWith(`.${domain}`))).toEqual([]);
});

test('API and workers wait for the schema, so that the order of the objects does not matter', () => {
  const waiting = workloads(render(minimal)).filter(
    ({ template }) => template.spec.initContainers?.[0]?.args?.join(' ') === 'migrate --wait',
  );
  expect(waiting.map(({ metadata }) => metadata.name)).toEqual(['parley-api', 'parley-worker-0-1-0']);
  const jobs = (values: Values) =>
    render(values)
      .filter(({ kind }) => kind === 'Job')
      .map(({ metadata }) => metadata.name);
  // A job can't be changed: another image is another job.
  expect(jobs(minimal)).not.toEqual(jobs(withMinimal({ image: { registry: 'example.com' } })));
});

test('PostgreSQL, Valkey and Restate are reached only by those that need them, and no pod by strangers', () => {
  const manifests = render(operators);
  const reach = createReach(manifests, 'parley');
  const ours = (component: string): Pod => ({
    namespace: 'parley',
    labels: {
      'app.kubernetes.io/name': 'parley',
      'app.kubernetes.io/instance': 'parley',
      'app.kubernetes.io/component': component,
    },
  });
  const pods: Record<string, Pod> = {
    ...Object.fromEntries(
      ['api', 'worker', 'portal', 'admin', 'docs', 'migrate', 'backup', 'drain'].map((name) => [name, ours(name)]),
    ),
    postgresql: { namespace: 'parley', labels: { 'cnpg.io/cluster': 'parley-db' } },
    valkey: { namespace: 'parley', labels: { 'app.kubernetes.io/instance': 'parley-valkey' } },
    restate: { namespace: 'restate', labels: { app: 'restate' } },
    ingress: { namespace: 'gateway', labels: {} },
    monitoring: { namespace: 'monitoring', labels: {} },
    stranger: { namespace: 'parley', labels: { app: 'stranger' } },
    'same labels elsewhere': { ...ours('api'), namespace: 'other' },
  };
  const callers = (to: string, port: number) =>
    Object.keys(pods).filter((from) => reach(pods[from] as Pod, pods[to] as Pod, port));
  expect(callers('postgresql', 5432)).toEqual(['api', 'worker', 'migrate', 'backup', 'postgresql', 'monitoring']);
  expect(callers('valkey', 6379)).toEqual(['api', 'worker', 'valkey']);
  // Restate's own policies, in databases/restate.yaml, keep the others out.
  expect(
    callers('restate', 9070).filter(
      (name) => name in { api: 1, worker: 1, portal: 1, admin: 1, docs: 1, migrate: 1, backup: 1, drain: 1 },
    ),
  ).toEqual(['api', 'worker', 'drain']);
  expect(callers('worker', 9080)).toEqual(['restate']);
  expect(callers('worker', 9464)).toEqual(['monitoring']);
  expect(callers('api', 9464)).toEqual(['monitoring']);
  expect(callers('api', 3000)).toEqual(['portal', 'admin', 'ingress']);
  expect(callers('portal', 3100)).toEqual(['ingress']);
  expect(callers('docs', 8080)).toEqual(['ingress']);

  const outside = (to: string, port: number) =>
    Object.keys(pods)
      .slice(0, 8)
      .filter((from) => reach(pods[from] as Pod, to, port));
  expect(outside('93.184.216.34', 443)).toEqual(['api', 'worker']);
  for (const metadata of ['169.254.169.254', '10.1.2.3', '192.168.1.1']) expect(outside(metadata, 80)).toEqual([]);
});

test('every host leads to its process, over an Ingress and over HTTPRoutes', () => {
  const manifests = render(withMinimal(readSample('managed.yaml')));
  const { rules } = (manifests.find(({ kind }) => kind === 'Ingress') as Manifest).spec as {
    rules: { host: string; http: { paths: { path: string; backend: { service: { name: string } } }[] } }[];
  };
  expect(rules.map(({ host, http }) => [host, http.paths[0]?.path, http.paths[0]?.backend.service.name])).toEqual([
    ['api.chat.example.com', '/', 'parley-api'],
    ['cdn.chat.example.com', '/cdn', 'parley-api'],
    ['chat.example.com', '/', 'parley-portal'],
    ['admin.chat.example.com', '/', 'parley-admin'],
    ['docs.chat.example.com', '/', 'parley-docs'],
  ]);
  const routes = render(operators).filter(({ kind }) => kind === 'HTTPRoute') as unknown as {
    metadata: { name: string };
    spec: { hostnames: string[]; rules: { filters?: unknown }[] };
  }[];
  expect(routes.map(({ metadata, spec }) => [metadata.name, spec.hostnames[0]])).toEqual([
    ['parley-api', 'api.chat.example.com'],
    ['parley-cdn', 'cdn.chat.example.com'],
    ['parley-portal', 'chat.example.com'],
    ['parley-admin', 'admin.chat.example.com'],
    ['parley-docs', 'docs.chat.example.com'],
  ]);
  expect(routes[1]?.spec.rules[0]?.filters).toEqual([
    { type: 'URLRewrite', urlRewrite: { path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/cdn' } } },
  ]);
});
