import * as fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { PoolName } from '../../src/platform/pool.ts';
import { aBot } from '../chat/fixture.ts';
import { aTenant } from '../harness.ts';
import { anAccount, withTotp } from '../identity/accounts-fixture.ts';
import * as walk from '../openapi-walk.ts';
import type { Operation } from '../openapi-walk.ts';
import { plain, mutate, supply } from './fuzz-pages-mutations.ts';
import {
  client,
  actorGroup,
  mutatedRuns,
  nobody,
  operations,
  report,
  requestsFor,
  run,
  seedOf,
  sendAs,
  timeout,
  validRuns,
  type Actor,
  type Request,
} from './fuzz-run.ts';
import { aSignedInPerson } from './people.ts';

// Every page and every OpenID Connect endpoint, with the forms that a browser sends and with mutated ones.

const pages = operations
  .filter(({ format }) => format !== 'json')
  .map((operation) => ({ name: operation.id, operation }));

// ---- visitors

/** A browser in the middle of a sign-in: before the first form, or after a correct password. */
const newVisitor = (pool: PoolName) => {
  let created = 0;
  return async (): Promise<Actor> => {
    const account = await anAccount({ pool });
    const { email, password } = account;
    const isHalfway = created++ % 2 === 1;
    if (isHalfway && created % 4 === 0) await withTotp(account, pool);
    const { uid, cookie } = await startSignIn(pool);
    const actor = {
      headers: {},
      ids: new Map(),
      own: { email, password, uid, cookie, refreshToken: await aRefreshToken(pool), botId, publicKey },
    };
    if (isHalfway) await sendAs(actor, formOf(pool, 'password', { email, password }));
    return actor;
  };
};

const { botId, publicKey } = await aBot(await aTenant());
const tokens: Partial<Record<PoolName, Promise<string>>> = {};
const aRefreshToken = (pool: PoolName) =>
  (tokens[pool] ??= aSignedInPerson(pool).then(({ refreshToken }) => refreshToken));

async function startSignIn(pool: PoolName) {
  const start = pages.find(({ operation }) => operation.pathTemplate === `/pools/${pool}/auth`)?.operation;
  if (!start) throw new Error(`${pool} has no authorization endpoint`);
  const { response } = await sendAs(nobody, plain(start, { path: {}, query: {} }));
  const uid = /\/interaction\/([\w-]+)$/.exec(response.headers.location ?? '')?.[1];
  if (uid === undefined) throw new Error(`sign-in did not start: ${response.statusCode} ${response.body}`);
  return { uid, cookie: response.cookies.map(({ name, value }) => `${name}=${value}`).join('; ') };
}

const formOf = (pool: PoolName, step: string, fields: Record<string, string>): Request => ({
  what: 'nothing',
  method: 'POST',
  url: `/pools/${pool}/interaction/own_*uid/${step}`,
  headers: {
    cookie: 'own_*cookie',
    origin: 'http://127.0.0.1:3000',
    'content-type': 'application/x-www-form-urlencoded',
  },
  payload: new URLSearchParams(fields).toString(),
});

const actorGroups = {
  customer: actorGroup(newVisitor('customer'), { size: 4, maxUses: 30 }),
  admin: actorGroup(newVisitor('admin'), { size: 4, maxUses: 30 }),
};
const actorsFor = ({ pathTemplate }: Operation) =>
  actorGroups[pathTemplate.startsWith('/pools/admin/') ? 'admin' : 'customer'];

async function exchange(operation: Operation, request: Request) {
  for (let attempt = 1; ; attempt++) {
    const actor = await actorsFor(operation).next();
    const result = await sendAs(actor, request);
    if (result.response.statusCode !== 429 || attempt === 10) return result;
    await actorsFor(operation).replace(actor);
  }
}

// ---- tests

test('knows the OIDC client and starts a sign-in', async () => {
  expect(client.redirectUris).toHaveLength(1);
  for (const pool of ['customer', 'admin'] as const) expect((await startSignIn(pool)).cookie).toContain(`${pool}_int=`);
});

describe.each(pages)('$name', ({ operation }) => {
  test(`returns no 5xx and well-formed responses to ${validRuns} valid requests`, { timeout }, async () => {
    const requests = requestsFor([operation], validRuns, (_one, numRuns) =>
      fc
        .sample(walk.requestValuesOf(operation, supply), { numRuns, seed: seedOf(`${operation.id} valid`) })
        .map((parts) => plain(operation, parts)),
    );
    const statuses = await run('valid', requests, exchange);
    const unread = [400, 403, 404, 413, 415, 429];
    const understood = operation.format === 'oidc' ? statuses : statuses.filter((status) => !unread.includes(status));
    const enough = statuses.length < 20 ? 0 : Math.min(20, statuses.length / 10); // in a small sample, all may be unreadable by chance
    expect(understood.length, `too few of ${statuses.length} requests were understood`).toBeGreaterThanOrEqual(enough);
  });

  test(
    `returns no 5xx, no internals and well-formed pages to ${mutatedRuns} mutated requests`,
    { timeout },
    async () => {
      const requests = requestsFor([operation], mutatedRuns, (_one, numRuns) =>
        fc
          .sample(fc.tuple(walk.requestValuesOf(operation, supply), fc.gen()), {
            numRuns,
            seed: seedOf(`${operation.id} mutated`),
          })
          .map(([parts, generate]) => mutate(operation, parts, generate)),
      );
      await run('mutated', requests, exchange);
    },
  );
});

afterAll(() => report('fuzz of pages', pages.length));
