/** The shape of the code, as rules. Each name is the sentence a developer sees when a build fails. */
const rule = (name, from, to) => ({ name, severity: 'error', from, to });
const only = (...files) => ({ path: '^src/', pathNot: files });

module.exports = {
  forbidden: [
    rule('no-cycles', {}, { circular: true }),
    rule('platform-knows-no-feature', { path: '^src/platform/' }, { path: '^src/features/' }),
    rule(
      'features-meet-at-index-or-contract',
      { path: '^src/features/([^/]+)/' },
      { path: '^src/features/(?!$1/)', pathNot: '(/index|\\.contract)\\.ts$' },
    ),
    rule(
      'contract-imports-only-contracts',
      { path: '\\.contract\\.ts$' },
      { path: '^src/', pathNot: '\\.contract\\.ts$' },
    ),
    rule(
      'store-is-the-bottom',
      { path: '\\.store\\.ts$' },
      { path: '\\.(service|routes|operator-routes|workflow|reactions|auth|events)\\.ts$' },
    ),
    rule(
      'service-knows-no-edge',
      { path: '\\.service\\.ts$' },
      {
        path: '(\\.(routes|operator-routes|workflow|reactions|auth)|platform/http/.*|platform/restate(-client)?)\\.ts$',
      },
    ),
    rule(
      'only-cross-tenant-files-read-across-tenants',
      only('\\.cross-tenant\\.ts$', '^src/platform/due-tenants\\.ts$'),
      {
        path: '^src/platform/cross-tenant\\.ts$',
      },
    ),
    rule(
      'only-operators-read-across-tenants',
      {
        path: '^src/',
        // The last one finds which endpoints have something due, and gets IDs and times.
        pathNot:
          '(\\.cross-tenant|\\.operator-routes|\\.operator\\.service|operators/.*|webhooks/lanes/start-lanes)\\.ts$',
      },
      { path: '\\.cross-tenant\\.ts$' },
    ),
    rule('only-dispatch-files-work-for-several-tenants', only('\\.dispatch\\.ts$'), {
      path: '^src/platform/dispatch\\.ts$',
    }),
    rule('fastify-stays-at-the-edge', only('^src/platform/http/'), { path: 'node_modules/fastify' }),
    rule(
      'restate-stays-in-workflows',
      only('\\.(workflow|interface)\\.ts$', '^src/platform/restate(-client|-spans)?\\.ts$'),
      {
        path: 'node_modules/@restatedev/',
      },
    ),
    // The API calls durable work and does not run it: the runtime takes megabytes.
    rule(
      'api-loads-no-workflow',
      { path: '^src/api\\.ts$' },
      { path: '(\\.workflow|^src/platform/restate)\\.ts$', reachable: true },
    ),
    rule(
      'worker-loads-no-route',
      { path: '^src/worker\\.ts$' },
      { path: '\\.(routes|operator-routes)\\.ts$', reachable: true },
    ),
    // What others have written is read and chunked in a thread, where it keeps nobody waiting.
    rule(
      'documents-are-read-in-reader-threads',
      only('^src/features/knowledge/ingest/reader/(document|links|read|pdf|docx)\\.ts$'),
      {
        path: '^src/features/knowledge/(chunk/(chunking|chunk-index)|ingest/reader/(read|language|html|docx|pdf))\\.ts$',
      },
    ),
  ],
  options: {
    parser: 'swc',
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
    doNotFollow: { path: 'node_modules' },
    exclude: '\\.test\\.ts$',
  },
};
