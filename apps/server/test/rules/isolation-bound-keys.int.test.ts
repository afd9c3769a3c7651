import { describe, expect, test } from 'vitest';
import { isFull } from '../../../../tools/testing/size.ts';
import { aKey, signedInAgain, type Headers } from '../harness.ts';
import type { Operation, RequestValues } from '../openapi-walk.ts';
import * as walk from '../openapi-walk.ts';
import { resetLimitsOf } from './chats.ts';
import { dealer } from './deal.ts';
import { namesTenant } from './isolation-due.ts';
import {
  ask,
  canary,
  everyKeyPermission,
  idsOfVictim,
  operations,
  rowsOf,
  sample,
  victim,
  victimChat,
  victimSide,
} from './isolation-parties.ts';

// Every route of a tenant, with keys of the same tenant that are bound elsewhere: to a workspace, a bot or an environment
// of their own. They hold every permission, and yet nothing outside of their bindings is seen or changed.

const idsBefore = await idsOfVictim();
const outside = new Map([...idsBefore].map(([prefix, ids]) => [prefix, ids.filter((id) => id !== victim.tenantId)]));

const made = async (path: string, body: object) => {
  const response = await victim.post(path, body);
  expect(response.statusCode, response.body).toBe(201);
  const { id = '' } = Object.values(response.json<Record<string, { id: string }>>())[0] ?? {};
  return id;
};
const workspaceId = await made('/workspaces', { name: 'Elsewhere' });
const environmentId = await made('/environments', { workspaceId, name: 'externalStores' });
const boundBotId = await made('/bots', { workspaceId, name: 'Elsewhere' });

// The victim may have been made by another file of this worker, minutes ago.
const owner = await signedInAgain(victim);
const boundKey = async (bindings: object) => ({
  bound: Object.keys(bindings).join(' and '),
  headers: (await aKey(owner, { ...everyKeyPermission, ...bindings })).headers,
});
const keys = [
  await boundKey({ workspaceId }),
  await boundKey({ environmentId }),
  await boundKey({ boundBotId }),
  await boundKey({ boundBotId, environmentId }),
];

/** Whose tenant it is, they may know. */
const showTenantsName = new Set(['getTenant', 'getMe', 'listMyTenants']);
const secretsAt = ({ route }: Operation) => [
  ...[...outside.entries()].flatMap(([prefix, ids]) => (prefix === 'usr' ? [] : ids)),
  ...(showTenantsName.has(route) ? [] : [canary]),
];

/** Places in a stream of events, timers, limits: they move with whatever happens in a tenant. */
const moving = /^(directory|deployment)\.|^(idempotency_keys)$/;
async function linesOf() {
  const rows = await rowsOf(victimSide);
  return Object.entries(rows).flatMap(([table, lines]) =>
    moving.test(table) ? [] : lines.split('\n').map((line) => `${table}: ${line}`),
  );
}
let before = await linesOf();

const byTurns = dealer<(typeof keys)[number]>();
const walked = operations.filter(({ audience, isAccountRoute }) => audience === 'member' && !isAccountRoute);
const inThisSize = isFull ? walked : walked.filter((operation) => !namesTenant(operation));

async function tryWith(operation: Operation, parts: RequestValues, headers: Headers) {
  const response = await ask(operation, parts, headers);
  if (response.statusCode !== 429) return response;
  await resetLimitsOf(victim.tenantId, victimChat.visitor.session.visitorId);
  return ask(operation, parts, headers);
}

describe.each(inThisSize)('$method $address', (operation) => {
  test('403 or 404 to a key of the same tenant that is bound elsewhere, or nothing from outside of its bindings', async () => {
    const breaches: string[] = [];
    const withIds = walk.positionsOf(operation).some(({ part }) => part === 'path');
    for (const { bound, headers } of isFull ? keys : byTurns.take(keys)) {
      for (const parts of sample(operation, new Map([...outside, ['ten', [victim.tenantId]]]), isFull ? 4 : 2)) {
        const { statusCode, body } = await tryWith(operation, parts, headers);
        const what = `a key bound by ${bound}: ${statusCode} ${body}`;
        const leaked = secretsAt(operation).find((secret) => body.includes(secret));
        // An id that the request itself names may be named in what refuses it.
        if (leaked !== undefined && !JSON.stringify(parts).includes(leaked)) breaches.push(`${what} holds ${leaked}`);
        if (statusCode >= 500) breaches.push(what);
        if (withIds && !namesTenant(operation) && ![400, 403, 404].includes(statusCode)) breaches.push(what);
      }
    }
    const after = new Set(await linesOf());
    breaches.push(...before.filter((line) => !after.has(line)).map((line) => `changed or gone: ${line}`));
    before = [...after];
    expect(breaches).toEqual([]);
  });
});
