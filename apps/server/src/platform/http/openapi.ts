import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { currentVersion } from '../version.ts';
import type { Route } from './route.ts';

/** The document is made from the routes themselves, so that it cannot promise what they do not do. */
export const openApiOptions = (publicUrl: string): FastifyDynamicSwaggerOptions => ({
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Parley',
      version: currentVersion,
      description:
        'Chatbots on your pages, and keys, signed callbacks and actions to tie them to your own systems.\n\n' +
        'Every route of a tenant has two addresses: `/tenants/{tenantId}/…`, and a short one that takes the tenant from the credential. ' +
        'Every error has the same body; branch on `reason`. Every answer names the request in `X-Request-Id` and the version in `X-Service-Version`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    tags: [
      { name: 'Identity', description: 'Who you are, and what you may do.' },
      { name: 'Tenant', description: 'Your organisation: workspaces, environments, plan and audit log.' },
      { name: 'Members', description: 'Who belongs to your tenant, in which roles, and who is invited.' },
      {
        name: 'Bots',
        description: 'What answers on your pages: drafts, versions, and which of them is deployed where.',
      },
      { name: 'Knowledge', description: 'What your bots answer from: texts, pages, sitemaps, files, and questions.' },
      { name: 'Models', description: 'Your own models, for bots whose answers a model writes.' },
      { name: 'API keys', description: 'For your backend (`secret_server`) and for your pages (`public_widget`).' },
      { name: 'Widget', description: 'What the chat on your pages calls. Sessions, messages, streams.' },
      { name: 'Conversations', description: 'For your staff: read, claim, reply, hand back, close.' },
      { name: 'Usage', description: 'Messages, turns, tokens and money, by bot and day.' },
      { name: 'Operator', description: 'For whoever runs this service: needs a token of the admin pool.' },
      { name: 'Health', description: 'For load balancers.' },
    ],
    components: {
      securitySchemes: {
        userToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'An access token of the customer pool.',
        },
        adminToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'An access token of the admin pool.',
        },
        serverKey: { type: 'http', scheme: 'bearer', description: 'A `sc_live_…` key, together with `serverKeyId`.' },
        sessionToken: { type: 'http', scheme: 'bearer', description: 'What opening a widget session answered.' },
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

/** The reference page, from the package alone: no fonts, helpers or clients of anybody else. */
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

/** What the document says of a route besides its contracts. */
export const describe = (route: Route, operationId: string) => ({
  operationId,
  tags: [route.tag],
  summary: route.summary,
  ...(route.description && { description: route.description }),
  security: security[route.kind],
  'x-permission': route.permission,
  ...('stepUp' in route && route.stepUp && { 'x-step-up': true }),
  ...(route.kind === 'tenant' && route.entitlement && { 'x-entitlement': route.entitlement }),
});

/** The library registers each schema twice, as it is read and as it is written. The twin that nothing points at goes. */
function withoutInputTwins<T extends object>(document: T): T {
  const { schemas = {} } = (document as { components?: { schemas?: Record<string, unknown> } }).components ?? {};
  for (;;) {
    const used = new Set(JSON.stringify(document).match(/(?<="#\/components\/schemas\/)[^"]+/g));
    const unused = Object.keys(schemas).filter((name) => !used.has(name));
    if (unused.length === 0) return document;
    for (const name of unused) delete schemas[name]; // which others may have been pointed at by alone
  }
}
