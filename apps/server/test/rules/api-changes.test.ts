import { expect, test } from 'vitest';
import { after, drop, field, unchanged, type Case, type Field } from './changed-document.ts';

// Reports what would break a client that sends requests as before, in terms a developer can act on. The rest passes.

test('reports nothing for an unchanged document', () => {
  expect(unchanged()).toEqual([]);
});

test.for<Case>([
  ['nothing', () => {}, []],

  // Routes.
  [
    'a route is removed',
    ({ document }) => delete document.paths['/webhook-event-types'],
    ['GET /webhook-event-types: is gone'],
  ],
  [
    'one of its two paths is removed',
    ({ document }) => delete document.paths['/tenants/{tenantId}/webhooks/{webhookId}/pause'],
    ['POST /webhooks/{webhookId}/pause: is not the same under /tenants/{tenantId}'],
  ],
  [
    'its SDK name changes',
    ({ eachOf }) => eachOf('pauseWebhook', (route) => (route.operationId = route.operationId.replace('pause', 'halt'))),
    ['POST /webhooks/{webhookId}/pause: is called haltWebhook in the SDK, and no longer pauseWebhook'],
  ],
  ['a route is added', ({ document }) => (document.paths['/new'] = document.paths['/webhooks']!), []],

  // Authorization.
  [
    'another permission',
    ({ eachOf }) => eachOf('listWebhooks', (route) => (route['x-permission'] = 'webhook.manage')),
    ['GET /webhooks: needs webhook.manage, and needed webhook.view'],
  ],
  [
    'a plan feature is required',
    ({ eachOf }) => eachOf('listBots', (route) => (route['x-entitlement'] = 'webhooks')),
    ['GET /bots: needs webhooks in the plan'],
  ],
  [
    'step-up is required',
    ({ eachOf }) => eachOf('listBots', (route) => (route['x-step-up'] = true)),
    ['GET /bots: needs a recent authentication'],
  ],
  [
    'server keys are refused',
    ({ eachOf }) => eachOf('listBots', (route) => void route.security.pop()),
    ['GET /bots: is closed to serverKey with serverKeyId'],
  ],
  [
    'another credential is accepted',
    ({ eachOf }) => eachOf('listBots', (route) => void route.security.push({ sessionToken: [] })),
    [],
  ],

  // Requests.
  [
    'a parameter is removed',
    ({ eachOf }) =>
      eachOf(
        'listWebhooks',
        (route) =>
          void route.parameters.splice(
            route.parameters.findIndex(({ name }) => name === 'status'),
            1,
          ),
      ),
    ['GET /webhooks query.status: is no longer taken'],
  ],
  [
    'a parameter becomes required',
    ({ eachOf }) =>
      eachOf('listWebhooks', ({ parameters }) => (parameters.find(({ name }) => name === 'status')!.required = true)),
    ['GET /webhooks query.status: is now required'],
  ],
  [
    'a required parameter is added',
    ({ eachOf }) =>
      eachOf(
        'listWebhooks',
        ({ parameters }) => void parameters.push({ name: 'since', in: 'query', required: true, schema: {} }),
      ),
    ['GET /webhooks query.since: is new, and required'],
  ],
  [
    'an optional parameter is added',
    ({ eachOf }) =>
      eachOf(
        'listWebhooks',
        ({ parameters }) => void parameters.push({ name: 'since', in: 'query', required: false, schema: {} }),
      ),
    [],
  ],
  [
    'a request field is removed',
    ({ body }) => body('createWebhook', (schema) => delete schema.properties['rateLimit']),
    ['POST /webhooks body.rateLimit: is no longer taken'],
  ],
  [
    'a request field becomes required',
    ({ body }) => body('createWebhook', (schema) => void schema.required.push('description')),
    ['POST /webhooks body.description: is now required'],
  ],
  [
    'a request field becomes optional',
    ({ body }) => body('createWebhook', (schema) => drop(schema.required, 'eventTypes')),
    [],
  ],
  [
    'a request field has another type',
    ({ body }) => body('createWebhook', (schema) => (field(schema, 'description').type = 'integer')),
    ['POST /webhooks body.description: no longer takes string'],
  ],
  [
    'a request field is no longer nullable',
    ({ body }) => body('createWebhook', (schema) => void field(schema, 'environmentId').anyOf.pop()),
    ['POST /webhooks body.environmentId: no longer takes null'],
  ],
  [
    'a request value is removed',
    ({ body }) => body('createWebhook', (schema) => drop(field(schema, 'ordering').enum!, 'none')),
    ['POST /webhooks body.ordering: no longer takes "none"'],
  ],
  [
    'a request value is added',
    ({ body }) => body('createWebhook', (schema) => void field(schema, 'ordering').enum!.push('bot')),
    [],
  ],
  [
    'a maximum length is lowered',
    ({ body }) => body('createWebhook', (schema) => (field(schema, 'description').maxLength = 100)),
    ['POST /webhooks body.description: takes less: maxLength is 100, and was 200'],
  ],
  [
    'a maximum length is raised',
    ({ body }) => body('createWebhook', (schema) => (field(schema, 'description').maxLength = 300)),
    [],
  ],
  [
    'a pattern is added',
    ({ body }) => body('createWebhook', (schema) => (field(schema, 'description').pattern = '^x')),
    ['POST /webhooks body.description: takes less: pattern is "^x", and was not set'],
  ],
  [
    'a default changes',
    ({ body }) => body('createWebhook', (schema) => (field(schema, 'rateLimit').default = 5)),
    ['POST /webhooks body.rateLimit: means 5 when it is left out, and meant 50'],
  ],
  [
    'a body becomes required',
    ({ eachOf }) =>
      eachOf(
        'pauseWebhook',
        (route) => (route.requestBody = { required: true, content: { 'application/json': { schema: {} as Field } } }),
      ),
    ['POST /webhooks/{webhookId}/pause body: is now required'],
  ],
])('%s', ([, change, expected]) => {
  expect(after(change)).toEqual(expected);
});
