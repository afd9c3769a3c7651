import { expect, test } from 'vitest';
import { after, drop, field, unchanged, type Case, type Field } from './changed-document.ts';

// What would break a client that asks as it did before is told, in words for whoever has to mend it. All else passes.

test('nothing is told of a document that did not change', () => {
  expect(unchanged()).toEqual([]);
});

test.for<Case>([
  ['nothing', () => {}, []],

  // Routes.
  [
    'a route goes',
    ({ document }) => delete document.paths['/webhook-event-types'],
    ['GET /webhook-event-types: is gone'],
  ],
  [
    'one of its two addresses goes',
    ({ document }) => delete document.paths['/tenants/{tenantId}/webhooks/{webhookId}/pause'],
    ['POST /webhooks/{webhookId}/pause: is not the same under /tenants/{tenantId}'],
  ],
  [
    'the SDK’s name of it changes',
    ({ eachOf }) => eachOf('pauseWebhook', (route) => (route.operationId = route.operationId.replace('pause', 'halt'))),
    ['POST /webhooks/{webhookId}/pause: is called haltWebhook in the SDK, and no longer pauseWebhook'],
  ],
  ['a route is new', ({ document }) => (document.paths['/new'] = document.paths['/webhooks']!), []],

  // Who may.
  [
    'another permission',
    ({ eachOf }) => eachOf('listWebhooks', (route) => (route['x-permission'] = 'webhook.manage')),
    ['GET /webhooks: needs webhook.manage, and needed webhook.view'],
  ],
  [
    'a feature of a plan',
    ({ eachOf }) => eachOf('listBots', (route) => (route['x-entitlement'] = 'webhooks')),
    ['GET /bots: needs webhooks in the plan'],
  ],
  [
    'a fresh proof',
    ({ eachOf }) => eachOf('listBots', (route) => (route['x-step-up'] = true)),
    ['GET /bots: needs a fresh proof of who is calling'],
  ],
  [
    'no more keys',
    ({ eachOf }) => eachOf('listBots', (route) => void route.security.pop()),
    ['GET /bots: is closed to serverKey with serverKeyId'],
  ],
  [
    'one more way in',
    ({ eachOf }) => eachOf('listBots', (route) => void route.security.push({ sessionToken: [] })),
    [],
  ],

  // What is asked.
  [
    'a parameter goes',
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
    'a new parameter is required',
    ({ eachOf }) =>
      eachOf(
        'listWebhooks',
        ({ parameters }) => void parameters.push({ name: 'since', in: 'query', required: true, schema: {} }),
      ),
    ['GET /webhooks query.since: is new, and required'],
  ],
  [
    'a new parameter is not',
    ({ eachOf }) =>
      eachOf(
        'listWebhooks',
        ({ parameters }) => void parameters.push({ name: 'since', in: 'query', required: false, schema: {} }),
      ),
    [],
  ],
  [
    'a field of a request goes',
    ({ body }) => body('createWebhook', (schema) => delete schema.properties['rateLimit']),
    ['POST /webhooks body.rateLimit: is no longer taken'],
  ],
  [
    'a field of a request becomes required',
    ({ body }) => body('createWebhook', (schema) => void schema.required.push('description')),
    ['POST /webhooks body.description: is now required'],
  ],
  [
    'a field of a request no longer is',
    ({ body }) => body('createWebhook', (schema) => drop(schema.required, 'eventTypes')),
    [],
  ],
  [
    'a field of a request has another type',
    ({ body }) => body('createWebhook', (schema) => (field(schema, 'description').type = 'integer')),
    ['POST /webhooks body.description: no longer takes string'],
  ],
  [
    'it may no longer be null',
    ({ body }) => body('createWebhook', (schema) => void field(schema, 'environmentId').anyOf.pop()),
    ['POST /webhooks body.environmentId: no longer takes null'],
  ],
  [
    'a value of a request goes',
    ({ body }) => body('createWebhook', (schema) => drop(field(schema, 'ordering').enum!, 'none')),
    ['POST /webhooks body.ordering: no longer takes "none"'],
  ],
  [
    'a value of a request is new',
    ({ body }) => body('createWebhook', (schema) => void field(schema, 'ordering').enum!.push('bot')),
    [],
  ],
  [
    'it takes fewer characters',
    ({ body }) => body('createWebhook', (schema) => (field(schema, 'description').maxLength = 100)),
    ['POST /webhooks body.description: takes less: maxLength is 100, and was 200'],
  ],
  [
    'it takes more',
    ({ body }) => body('createWebhook', (schema) => (field(schema, 'description').maxLength = 300)),
    [],
  ],
  [
    'it must look otherwise',
    ({ body }) => body('createWebhook', (schema) => (field(schema, 'description').pattern = '^x')),
    ['POST /webhooks body.description: takes less: pattern is "^x", and was not set'],
  ],
  [
    'what is left out means something else',
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
])('%s', ([, change, told]) => {
  expect(after(change)).toEqual(told);
});
