// Hostile inputs by class: the minimum that a test file sends, asserted there next to the list. The table in
// docs/threat-model.md lists the same, and apps/server/test/rules/probes.test.ts compares the two.

interface Probes {
  name: string;
  min: number;
  file: string;
}

export const probes = {
  isolation: {
    name: 'tenant isolation: foreign and missing credentials, ids, cursors, idempotency keys',
    min: 1_000,
    file: 'apps/server/test/rules/isolation.int.test.ts',
  },
  origins: {
    name: 'origin patterns at the widget’s routes',
    min: 47,
    file: 'apps/server/src/features/widget-delivery/origins.int.test.ts',
  },
  originSettings: {
    name: 'origins that cannot be put on a bot’s list',
    min: 50,
    file: 'apps/server/src/features/bots/origins.test.ts',
  },
  ssrfUrls: {
    name: 'SSRF: URLs at the HTTP client',
    min: 350,
    file: 'apps/server/src/platform/safe-fetch.int.test.ts',
  },
  ssrfSettings: {
    name: 'SSRF: URLs of webhooks, when they are saved',
    min: 100,
    file: 'apps/server/test/webhooks/hostile-targets.int.test.ts',
  },
  ssrfHeaders: {
    name: 'SSRF: headers of an outbound request',
    min: 35,
    file: 'apps/server/test/webhooks/hostile-targets.int.test.ts',
  },
  authorize: {
    name: 'OIDC: authorization requests',
    min: 60,
    file: 'apps/server/test/identity/authorize.int.test.ts',
  },
  codeExchange: {
    name: 'OIDC: exchanges of someone else’s code',
    min: 9,
    file: 'apps/server/test/identity/authorize.int.test.ts',
  },
  foreignForms: {
    name: 'CSRF and redirects: sign-in pages',
    min: 300,
    file: 'apps/server/test/hosted-pages/foreign-sites.int.test.ts',
  },
  portalForms: {
    name: 'CSRF and redirects: portals',
    min: 67,
    file: 'e2e/portal-safety.test.ts',
  },
  apiPaths: {
    name: 'path traversal: API and widget files',
    min: 500,
    file: 'apps/server/test/rules/traversal.int.test.ts',
  },
  proxyPaths: {
    name: 'path traversal: the portals’ proxy',
    min: 90,
    file: 'packages/portal-kit/src/server/proxy.test.ts',
  },
  sql: { name: 'injection: SQL', min: 50, file: 'apps/server/test/rules/injections.isolated.test.ts' },
  operators: {
    name: 'injection: query operators and other types (NoSQL)',
    min: 18,
    file: 'apps/server/test/rules/injections.isolated.test.ts',
  },
  prototypes: {
    name: 'injection: prototype pollution',
    min: 18,
    file: 'apps/server/test/rules/injections.isolated.test.ts',
  },
  responseHeaders: {
    name: 'injection: response headers (CRLF)',
    min: 18,
    file: 'apps/server/test/rules/injections.isolated.test.ts',
  },
  logs: { name: 'injection: logs', min: 18, file: 'apps/server/test/rules/injections.isolated.test.ts' },
  templates: {
    name: 'injection: template expressions in emails and pages',
    min: 18,
    file: 'apps/server/test/rules/injections-markup.test.ts',
  },
  markup: {
    name: 'injection: markup in emails and pages (XSS)',
    min: 160,
    file: 'apps/server/test/rules/injections-markup.test.ts',
  },
  emailHeaders: {
    name: 'injection: email headers (SMTP)',
    min: 30,
    file: 'apps/server/test/rules/email-headers.int.test.ts',
  },
  formulas: {
    name: 'injection: spreadsheet formulas (CSV)',
    min: 25,
    file: 'packages/portal-kit/src/ui/csv.test.ts',
  },
  bombs: {
    name: 'file bombs',
    min: 25,
    file: 'apps/server/src/features/knowledge/ingest/reader/bombs.test.ts',
  },
} as const satisfies Record<string, Probes>;
