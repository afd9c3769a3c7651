import { describe, expect, test } from 'vitest';
import { isFull } from '../../../../tools/testing/size.ts';
import { aKey, signedInAgain } from '../harness.ts';
import type { Operation } from '../openapi-walk.ts';
import * as walk from '../openapi-walk.ts';
import { resetLimitsOf } from './chats.ts';
import { leastUsedPicker } from './least-used.ts';
import { namesTenant } from './expected-refusals.ts';
import {
  sendTo,
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

// Every tenant route, with keys of the same tenant that are bound to another workspace, bot or environment. They hold
// every permission, and still must not see or change anything outside their bindings.

const idsBefore = await idsOfVictim();
const outside = new Map([...idsBefore].map(([prefix, ids]) => [prefix, ids.filter((id) => id !== victim.tenantId)]));

// The victim may have been created by another file of this worker, so long ago that its token has expired.
const owner = await signedInAgain(victim);
const created = async (path: string, body: object) => {
  const response = await owner.post(path, body);
  expect(response.statusCode, response.body).toBe(201);
  const { id = '' } = Object.values(response.json<Record<string, { id: string }>>())[0] ?? {};
  return id;
};
const workspaceId = await created('/workspaces', { name: 'Other' });
const environmentId = await created('/environments', { workspaceId, name: 'Other' });
const boundBotId = await created('/bots', { workspaceId, name: 'Other' });

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

/** Bound keys may see the name of their tenant. */
const showTenantsName = new Set(['getTenant', 'getMe', 'listMyTenants']);
const secretsAt = ({ route }: Operation) => [
  ...[...outside.entries()].flatMap(([prefix, ids]) => (prefix === 'usr' ? [] : ids)),
  ...(showTenantsName.has(route) ? [] : [canary]),
];

/** Stream positions, timers and limits: they change with any activity of a tenant. */
const volatileTables = /^(directory|deployment)\.|^idempotency_(keys|references)$/;
async function victimRows() {
  const rows = await rowsOf(victimSide);
  return Object.entries(rows).flatMap(([table, lines]) =>
    volatileTables.test(table) ? [] : lines.split('\n').map((line) => `${table}: ${line}`),
  );
}
let before = await victimRows();

const keyPicker = leastUsedPicker<(typeof keys)[number]>();
const tested = operations.filter(({ audience, isAccountRoute }) => audience === 'member' && !isAccountRoute);
const sampled = isFull ? tested : tested.filter((operation) => !namesTenant(operation));

describe.each(sampled)('$method $pathTemplate', (operation) => {
  test('returns 403 or 404 to a key of the same tenant with other bindings, or nothing from outside its bindings', async () => {
    const breaches: string[] = [];
    const withIds = walk.positionsOf(operation).some(({ part }) => part === 'path');
    for (const { bound, headers } of isFull ? keys : keyPicker.pick(keys)) {
      // Before a limit is reached: from then on, the API remembers it in memory until the window ends.
      await resetLimitsOf(victim.tenantId, victimChat.visitor.session.visitorId);
      for (const parts of sample(operation, new Map([...outside, ['ten', [victim.tenantId]]]), isFull ? 4 : 2)) {
        const { statusCode, body } = await sendTo(operation, parts, headers);
        const what = `a key bound by ${bound}: ${statusCode} ${body}`;
        const leaked = secretsAt(operation).find((secret) => body.includes(secret));
        // An id that the request contains may be repeated in the error.
        if (leaked !== undefined && !JSON.stringify(parts).includes(leaked))
          breaches.push(`${what} contains ${leaked}`);
        if (statusCode >= 500) breaches.push(what);
        if (withIds && !namesTenant(operation) && ![400, 403, 404].includes(statusCode)) breaches.push(what);
      }
    }
    const after = new Set(await victimRows());
    breaches.push(...before.filter((line) => !after.has(line)).map((line) => `changed or gone: ${line}`));
    before = [...after];
    expect(breaches).toEqual([]);
  });
});
