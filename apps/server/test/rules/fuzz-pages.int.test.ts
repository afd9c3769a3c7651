import * as fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { PoolName } from '../../src/platform/pool.ts';
import { aBot } from '../chat/fixture.ts';
import { aTenant } from '../harness.ts';
import { anAccount, withTotp } from '../identity/accounts-fixture.ts';
import * as walk from '../openapi-walk.ts';
import type { Operation } from '../openapi-walk.ts';
import { plain, spoil, supply } from './fuzz-pages-mutations.ts';
import {
  client,
  crew,
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

// Every page and every endpoint of OpenID Connect, as a browser sends its forms, and as nobody should.

const pages = operations
  .filter(({ format }) => format !== 'json')
  .map((operation) => ({ name: operation.id, operation }));

// ---- who visits

/** A browser in the middle of a sign-in: before the first form, or after the password was right. */
const newVisitor = (pool: PoolName) => {
  let made = 0;
  return async (): Promise<Actor> => {
    const account = await anAccount({ pool });
    const { email, password } = account;
    const isHalfway = made++ % 2 === 1;
    if (isHalfway && made % 4 === 0) await withTotp(account, pool);
    const { uid, cookie } = await beginSignIn(pool);
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

async function beginSignIn(pool: PoolName) {
  const begin = pages.find(({ operation }) => operation.pathTemplate === `/pools/${pool}/auth`)?.operation;
  if (!begin) throw new Error(`${pool} has no address to begin at`);
  const { answer: response } = await sendAs(nobody, plain(begin, { path: {}, query: {} }));
  const uid = /\/interaction\/([\w-]+)$/.exec(response.headers.location ?? '')?.[1];
  if (uid === undefined) throw new Error(`no sign-in began: ${response.statusCode} ${response.body}`);
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

const crews = {
  customer: crew(newVisitor('customer'), { size: 4, shift: 30 }),
  admin: crew(newVisitor('admin'), { size: 4, shift: 30 }),
};
const crewOf = ({ pathTemplate }: Operation) => crews[pathTemplate.startsWith('/pools/admin/') ? 'admin' : 'customer'];

async function exchange(operation: Operation, request: Request) {
  for (let attempt = 1; ; attempt++) {
    const actor = await crewOf(operation).next();
    const answered = await sendAs(actor, request);
    if (answered.answer.statusCode !== 429 || attempt === 10) return answered;
    await crewOf(operation).relieve(actor);
  }
}

// ---- tests

test('the program that people come from is known, and a sign-in begins', async () => {
  expect(client.redirectUris).toHaveLength(1);
  for (const pool of ['customer', 'admin'] as const) expect((await beginSignIn(pool)).cookie).toContain(`${pool}_int=`);
});

describe.each(pages)('$name', ({ operation }) => {
  test(`${validRuns} visits: no 5xx, and every answer in the form of its kind`, { timeout }, async () => {
    const requests = requestsFor([operation], validRuns, (_one, numRuns) =>
      fc
        .sample(walk.requestValuesOf(operation, supply), { numRuns, seed: seedOf(`${operation.id} valid`) })
        .map((parts) => plain(operation, parts)),
    );
    const statuses = await run('valid', requests, exchange);
    const unread = [400, 403, 404, 413, 415, 429];
    const understood = operation.format === 'oidc' ? statuses : statuses.filter((status) => !unread.includes(status));
    const enough = statuses.length < 20 ? 0 : Math.min(20, statuses.length / 10); // of a few, chance may make all unreadable
    expect(understood.length, `of ${statuses.length} visits too few were understood`).toBeGreaterThanOrEqual(enough);
  });

  test(
    `${mutatedRuns} spoiled visits: no 5xx, nothing of our insides, and pages still pages`,
    { timeout },
    async () => {
      const requests = requestsFor([operation], mutatedRuns, (_one, numRuns) =>
        fc
          .sample(fc.tuple(walk.requestValuesOf(operation, supply), fc.gen()), {
            numRuns,
            seed: seedOf(`${operation.id} mutated`),
          })
          .map(([parts, generate]) => spoil(operation, parts, generate)),
      );
      await run('mutated', requests, exchange);
    },
  );
});

afterAll(() => report('fuzz of pages', pages.length));
