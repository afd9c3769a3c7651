import * as fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { KeyPermission } from '../../src/features/api-keys/api-keys.contract.ts';
import * as walk from '../openapi-walk.ts';
import type { Operation } from '../openapi-walk.ts';
import { widgetFiles } from '../widget-files.ts';
import { argsHash, soundFields } from './actions.ts';
import { crewOf, isOfWidget, remember } from './fuzz-crews.ts';
import { plain, spoil } from './fuzz-mutations.ts';
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
  wantsProof,
  type Request,
} from './fuzz-run.ts';

// Every route that speaks JSON, with requests that fit its schema, and with requests that are wrong in every way we know.

/** The two addresses of a route share its number. Routes that make things come first, as later ones need them. */
const routes = [
  ...Map.groupBy(
    // What is signed over its bytes refuses all that is not: it has a corpus of its own.
    operations.filter(({ format, id }) => format === 'json' && id !== 'receiveWebhook'),
    ({ route }) => route,
  ).entries(),
]
  .map(([name, addresses]) => ({ name, addresses, makes: addresses.some(({ responses }) => responses['201']) }))
  .sort((a, b) => Number(b.makes) - Number(a.makes));

const marks: walk.ValueSources = {
  id: (prefix) => fc.nat(99).map((n) => `${prefix}_*${n}`),
  named: {
    cursor: fc.constant(Buffer.from(`key_${'0'.repeat(26)}`).toString('base64url')),
    wait: fc.constantFrom(0, 0, 0, 1), // more of it takes longer, and says no more
  },
};
/** For routes that ask who somebody is: mostly the truth. */
const truth = (field: string) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(`own_*${field}`) }, fc.constant('no truth'));
const password = fc.constant('own_*password');
const proofs: walk.ValueSources = {
  ...marks,
  named: {
    ...marks.named,
    email: fc.oneof(
      fc.constant('own_*email'),
      fc.nat().map((n) => `nobody-${n}@example.com`),
    ),
    password,
    currentPassword: password,
    newPassword: password,
    refreshToken: truth('refreshToken'),
  },
};
/** For the pages' own routes: what a page was given, and for a backend's: what belongs together. */
const pages: walk.ValueSources = {
  ...marks,
  named: {
    ...marks.named,
    sessionToken: truth('sessionToken'),
    publicKey: truth('publicKey'),
    visitorToken: truth('visitorToken'),
    key: truth('publicKey'),
    file: fc.oneof(fc.constantFrom(...Object.keys(widgetFiles)), fc.string({ minLength: 1, maxLength: 40 })),
    runId: fc.oneof(
      fc.nat(99).map((n) => `arun_*${n}`),
      fc.constant('another'),
    ),
    argsHash: fc.constantFrom(argsHash, 'b'.repeat(64)),
  },
};
const places = ['tenantId', 'workspaceId', 'environmentId', 'botId'].map((name) => [name, truth(name)] as const);
const backends: walk.ValueSources = { ...marks, named: { ...marks.named, ...Object.fromEntries(places) } };

/** Mostly what goes together; what does not has a test of its own: fuzz-actions.int.test.ts. */
const sound = soundFields(Array.from({ length: 9 }, (_, n) => `whk_*${n}`));
const actions: walk.ValueSources = { ...marks, named: { ...marks.named, ...sound } };

function supplyFor(operation: Operation): walk.ValueSources {
  if (/Action(OfTenant)?$/.test(operation.id)) return actions;
  if (operation.isForServerKeys) return backends;
  if (isOfWidget(operation)) return pages;
  return operation.audience === 'public' || operation.isAccountRoute ? proofs : marks;
}

/** Refused because of what they asked for before: they gave away their rank, their session or their tenant. */
const isSpent = /"reason":"(permission_missing|role_too_low|invalid_token|tenant_deleted|tenant_suspended)"/;

/** Sent again by somebody new if it only met a limit, or somebody who no longer may. */
async function exchange(operation: Operation, request: Request, n: number) {
  const crew = crewOf(operation);
  for (let [attempt, actor] = [1, await crew.next()]; ; attempt++, actor = await crew.recruit()) {
    // A key asks for events that it may read, and the schema offers them all.
    const namesEvents = /^(create|update)Webhook/.test(operation.id);
    const mayUseKey =
      (KeyPermission.options as string[]).includes(operation.permission ?? '') && !namesEvents && n % 4 === 0;
    const isByKey = mayUseKey || operation.isForServerKeys;
    const answered = await sendAs(actor, request, (isByKey && actor.key) || actor.headers);
    const { statusCode: status, body } = answered.answer;
    if (status === 201) remember(actor, body);
    const isToRepeat = status === 429 || ([401, 403].includes(status) && isSpent.test(body));
    if (!isToRepeat || attempt === 3) return answered;
    await crew.relieve(actor);
  }
}

/** Whatever was deleted before, or is now, is there again. */
const renewCrew = (addresses: Operation[]) =>
  addresses.forEach((operation) => operation.method === 'DELETE' && crewOf(operation).relieveAll());

describe.each(routes)('$name', ({ addresses }) => {
  test(`${validRuns} valid requests: no 5xx, and every answer as the document says`, { timeout }, async () => {
    renewCrew(addresses);
    const requests = requestsFor(addresses, validRuns, (operation, numRuns) =>
      fc
        .sample(walk.requestValuesOf(operation, supplyFor(operation)), {
          numRuns,
          seed: seedOf(`${operation.id} valid`),
        })
        .map((parts) => plain(operation, parts)),
    );
    const statuses = await run('valid', requests, exchange);
    // Whether a proof is right is not for the schema to say.
    // Nor is it whether somebody is in somebody's place, or has a second factor.
    const isForOthers = (one: Operation) =>
      wantsProof(one) || one.isForServerKeys || ['leaveImpersonation', 'addIdentity'].includes(one.id);
    const mayBeWrong = addresses.some(isForOthers) ? [401, 403] : [];
    const refused = statuses.filter(
      (status) => [401, 403, 413, 415, 429].includes(status) && !mayBeWrong.includes(status),
    );
    expect(refused, 'a valid request by one who may was refused').toEqual([]);
    // Not more: what was deleted is gone, and answers 404 from then on, as it should.
    const understood = statuses.filter((status) => status < 300 || [409, 422, ...mayBeWrong].includes(status)).length;
    const enough = Math.min(
      addresses.some(({ method }) => method === 'DELETE') ? 5 : 20,
      Math.floor(statuses.length / 20),
    );
    expect(understood, `of ${statuses.length} valid requests too few were understood`).toBeGreaterThanOrEqual(enough);
  });

  test(
    `${mutatedRuns} mutated requests: 4xx where it is due, no 5xx, nothing of our insides`,
    { timeout },
    async () => {
      const requests = requestsFor(addresses, mutatedRuns, (operation, numRuns) =>
        fc
          .sample(fc.tuple(walk.requestValuesOf(operation, supplyFor(operation)), fc.gen()), {
            numRuns,
            seed: seedOf(`${operation.id} mutated`),
          })
          .map(([parts, generate]) => spoil(operation, parts, generate)),
      );
      await run('mutated', requests, exchange);
      renewCrew(addresses);
    },
  );
});

afterAll(() => report('fuzz', routes.length));
