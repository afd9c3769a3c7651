import * as fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { isFull } from '../../../../tools/testing/size.ts';
import { KeyPermission } from '../../src/features/api-keys/api-keys.contract.ts';
import * as walk from '../openapi-walk.ts';
import type { Operation } from '../openapi-walk.ts';
import { widgetFiles } from '../widget-files.ts';
import { argsHash, validFields } from './actions.ts';
import { actorsFor, isOfWidget, addIds } from './fuzz-actors.ts';
import { plain, mutate } from './fuzz-mutations.ts';
import {
  mutatedRuns,
  operations,
  report,
  requestsFor,
  run,
  seedOf,
  sendAs,
  timeout,
  validRuns,
  authenticates,
  type Request,
} from './fuzz-run.ts';

// Every JSON route, with requests that match its schema and with requests that are mutated in every way we know.

/** The two paths of a route share its number. Routes that create objects come first, as later ones need them. */
const routes = [
  ...Map.groupBy(
    // Routes that verify a signature over the bytes refuse everything else: they have their own corpus.
    operations.filter(({ format, id }) => format === 'json' && id !== 'receiveWebhook'),
    ({ route }) => route,
  ).entries(),
]
  .map(([name, addresses]) => ({ name, addresses, creates: addresses.some(({ responses }) => responses['201']) }))
  .sort((a, b) => Number(b.creates) - Number(a.creates));

const placeholders: walk.ValueSources = {
  id: (prefix) => fc.nat(99).map((n) => `${prefix}_*${n}`),
  named: {
    cursor: fc.constant(Buffer.from(`key_${'0'.repeat(26)}`).toString('base64url')),
    wait: fc.constantFrom(0, 0, 0, 1), // longer waits take time and test no more
  },
};
/** For routes that authenticate: mostly the correct value. */
const ownValue = (field: string) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(`own_*${field}`) }, fc.constant('wrong'));
const password = fc.constant('own_*password');
const credentialValues: walk.ValueSources = {
  ...placeholders,
  named: {
    ...placeholders.named,
    email: fc.oneof(
      fc.constant('own_*email'),
      fc.nat().map((n) => `nobody-${n}@example.com`),
    ),
    password,
    currentPassword: password,
    newPassword: password,
    refreshToken: ownValue('refreshToken'),
  },
};
/** For the widget's routes: what a page was given; for a backend's: ids that belong together. */
const pages: walk.ValueSources = {
  ...placeholders,
  named: {
    ...placeholders.named,
    sessionToken: ownValue('sessionToken'),
    publicKey: ownValue('publicKey'),
    visitorToken: ownValue('visitorToken'),
    key: ownValue('publicKey'),
    file: fc.oneof(fc.constantFrom(...Object.keys(widgetFiles)), fc.string({ minLength: 1, maxLength: 40 })),
    runId: fc.oneof(
      fc.nat(99).map((n) => `arun_*${n}`),
      fc.constant('another'),
    ),
    argsHash: fc.constantFrom(argsHash, 'b'.repeat(64)),
  },
};
const scopeIds = ['tenantId', 'workspaceId', 'environmentId', 'botId'].map((name) => [name, ownValue(name)] as const);
const backends: walk.ValueSources = {
  ...placeholders,
  named: { ...placeholders.named, ...Object.fromEntries(scopeIds) },
};

/** A position in the log of events: the schema only says that it is a string, and hardly any string is one. */
const positions: walk.ValueSources = {
  ...placeholders,
  named: { ...placeholders.named, after: fc.nat(99).map((n) => Buffer.from(`p${n}`).toString('base64url')) },
};

/** Mostly valid combinations; invalid ones are tested in fuzz-actions.int.test.ts. */
const validActions = validFields(Array.from({ length: 9 }, (_, n) => `whk_*${n}`));
const actions: walk.ValueSources = { ...placeholders, named: { ...placeholders.named, ...validActions } };

function supplyFor(operation: Operation): walk.ValueSources {
  if (/Action(OfTenant)?$/.test(operation.id)) return actions;
  if (operation.route === 'listEvents') return positions;
  if (operation.isForServerKeys) return backends;
  if (isOfWidget(operation)) return pages;
  return operation.audience === 'public' || operation.isAccountRoute ? credentialValues : placeholders;
}

/** Refused because an earlier request took away their role, session or tenant. */
const lostRights = /"reason":"(permission_missing|role_too_low|invalid_token|tenant_deleted|tenant_suspended)"/;

/** Sent again by a new actor if it met a rate limit, or an actor that lost its rights. */
async function exchange(operation: Operation, request: Request, n: number) {
  const actors = actorsFor(operation);
  for (let [attempt, actor] = [1, await actors.next()]; ; attempt++, actor = await actors.create()) {
    // A key may only subscribe to events that it may read, and the schema offers them all.
    const namesEvents = /^(create|update)Webhook/.test(operation.id);
    const isForUsers = operation.pathTemplate.startsWith('/me/');
    const isForKeys = (KeyPermission.options as string[]).includes(operation.permission ?? '');
    const mayUseKey = isForKeys && !namesEvents && !isForUsers && n % 4 === 0;
    const isByKey = mayUseKey || operation.isForServerKeys;
    const result = await sendAs(actor, request, (isByKey && actor.key) || actor.headers);
    const { statusCode: status, body } = result.response;
    if (status === 201) addIds(actor, body);
    const isToRepeat = status === 429 || ([401, 403].includes(status) && lostRights.test(body));
    if (!isToRepeat || attempt === 3) return result;
    await actors.replace(actor);
  }
}

/** Replaces the actors around deletions, so that the objects exist again; in a sample only after them. */
const replaceActors = (addresses: Operation[]) =>
  addresses.forEach((operation) => operation.method === 'DELETE' && actorsFor(operation).replaceAllActors());

/** Every valid request is correctly refused here: nothing is configured, erased or rotated, and no external issuer exists. */
const cannotSucceed = new Set(['getSecurityTxt', 'addIdentity', 'getErasure', 'getKeyRotation', 'cancelKeyRotation']);

describe.each(routes)('$name', ({ addresses }) => {
  test(`returns no 5xx and only documented responses to ${validRuns} valid requests`, { timeout }, async () => {
    if (isFull) replaceActors(addresses);
    const requests = requestsFor(addresses, validRuns, (operation, numRuns) =>
      fc
        .sample(walk.requestValuesOf(operation, supplyFor(operation)), {
          numRuns,
          seed: seedOf(`${operation.id} valid`),
        })
        .map((parts) => plain(operation, parts)),
    );
    const statuses = await run('valid', requests, exchange);
    // The schema cannot tell whether a credential is correct,
    // whether someone is being impersonated, or whether they use two-factor authentication.
    const isForOthers = (one: Operation) =>
      authenticates(one) || one.isForServerKeys || ['leaveImpersonation', 'addIdentity'].includes(one.id);
    const mayBeWrong = addresses.some(isForOthers) ? [401, 403] : [];
    const refused = statuses.filter(
      (status) => [401, 403, 413, 415, 429].includes(status) && !mayBeWrong.includes(status),
    );
    expect(refused, 'a valid request by an authorized actor was refused').toEqual([]);
    // Not more: deleted objects correctly return 404 from then on.
    const understood = statuses.filter((status) => status < 300 || [409, 422, ...mayBeWrong].includes(status)).length;
    if (addresses.some(({ id }) => cannotSucceed.has(id.replace(/ForTenant$/, '')))) return;
    const enough = Math.min(
      addresses.some(({ method }) => method === 'DELETE') ? 5 : 20,
      Math.floor(statuses.length / 20),
    );
    expect(understood, `too few of ${statuses.length} valid requests were understood`).toBeGreaterThanOrEqual(enough);
  });

  test(
    `returns the expected 4xx, no 5xx and no internals to ${mutatedRuns} mutated requests`,
    { timeout },
    async () => {
      const requests = requestsFor(addresses, mutatedRuns, (operation, numRuns) =>
        fc
          .sample(fc.tuple(walk.requestValuesOf(operation, supplyFor(operation)), fc.gen()), {
            numRuns,
            seed: seedOf(`${operation.id} mutated`),
          })
          .map(([parts, generate]) => mutate(operation, parts, generate)),
      );
      await run('mutated', requests, exchange);
      replaceActors(addresses);
    },
  );
});

afterAll(() => report('fuzz', routes.length));
