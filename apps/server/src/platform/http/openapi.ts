import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { currentVersion } from '../version.ts';
import type { Route } from './route.ts';

/** The document is generated from the routes, so that it always matches them. */
export const openApiOptions = (publicUrl: string): FastifyDynamicSwaggerOptions => ({
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Parley',
      version: currentVersion,
      description:
        'Add AI chatbots to your website, and connect them to your systems with API keys, webhooks and actions.\n\n' +
        'Every tenant route has two paths: `/tenants/{tenantId}/…`, and a short one that takes the tenant from your credentials. ' +
        'All errors have the same body; branch on `reason`. Every response includes the request id in `X-Request-Id` and the API version in `X-Service-Version`. ' +
        'Responses that count against a rate limit include `RateLimit` and `RateLimit-Policy`; 429 also includes `Retry-After`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    tags: [
      { name: 'Identity', description: 'Your account and permissions.' },
      { name: 'Tenant', description: 'Your organisation: workspaces, environments, plan and audit log.' },
      { name: 'Members', description: 'Members of your tenant, their roles, and invitations.' },
      {
        name: 'Bots',
        description: 'Bots with their drafts, versions and deployments.',
      },
      {
        name: 'Knowledge',
        description: 'What your bots know: text, web pages, sitemaps, files, and questions and answers.',
      },
      { name: 'Models', description: 'Bring your own models for generated answers.' },
      {
        name: 'API keys',
        description: 'Keys for your backend (`secret_server`) and for your web pages (`public_widget`).',
      },
      { name: 'Widget', description: 'What the chat widget calls: sessions, messages and streams.' },
      { name: 'Conversations', description: 'For your agents: read, claim, reply, hand back and close.' },
      { name: 'Usage', description: 'Messages, turns, tokens and spend, by bot and day.' },
      {
        name: 'Operator',
        description: 'For the people who run this service. Requires an access token from the admin pool.',
      },
      { name: 'Health', description: 'Health checks for load balancers.' },
    ],
    components: {
      securitySchemes: {
        userToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'An access token from the customer pool.',
        },
        adminToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'An access token from the admin pool.',
        },
        serverKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'A `sc_live_…` key, sent together with `serverKeyId`.',
        },
        sessionToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token returned when a widget session is opened.',
        },
        serverKeyId: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Service-Api-Key-Id',
          description: 'The id of the server key.',
        },
      },
    },
  },
  transform: jsonSchemaTransform,
  transformObject: (document) => withoutInputTwins(jsonSchemaTransformObject(document)),
});

/** The reference page, without third-party fonts, agents or clients. */
export const referencePage = {
  url: '/openapi.json',
  pageTitle: 'Parley API reference',
  withDefaultFonts: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  defaultOpenFirstTag: true,
  customCss: ':root { --scalar-color-accent: #0f766e } .dark-mode { --scalar-color-accent: #2dd4bf }',
} as const;

const security = {
  tenant: [{ userToken: [] }, { serverKey: [], serverKeyId: [] }],
  caller: [{ userToken: [] }, { serverKey: [], serverKeyId: [] }],
  operator: [{ adminToken: [] }],
  visitor: [{ sessionToken: [] }],
  public: [],
  file: [],
  page: [],
  signed: [],
  raw: [],
};

/** The metadata of a route in the document, besides its schemas. */
export const describe = (route: Route, operationId: string) => ({
  operationId,
  tags: [route.tag],
  summary: route.summary,
  ...(route.description && { description: route.description }),
  security: security[route.kind],
  'x-permission': route.permission,
  ...('stepUp' in route && route.stepUp && { 'x-step-up': route.stepUp === true ? true : 'depends' }),
  ...(route.kind === 'tenant' && { 'x-key-bindings': route.bindings }),
  ...(route.kind === 'tenant' && route.entitlement && { 'x-entitlement': route.entitlement }),
});

/** The library registers each schema twice, for input and for output. Removes those that nothing refers to. */
function withoutInputTwins<T extends object>(document: T): T {
  const { schemas = {} } = (document as { components?: { schemas?: Record<string, unknown> } }).components ?? {};
  for (;;) {
    const used = new Set(JSON.stringify(document).match(/(?<="#\/components\/schemas\/)[^"]+/g));
    const unused = Object.keys(schemas).filter((name) => !used.has(name));
    if (unused.length === 0) return document;
    for (const name of unused) delete schemas[name]; // schemas that only this one refers to become unused
  }
}
