import type { Db } from '../../platform/db.ts';
import { orNotFound } from '../../platform/errors.ts';
import { operatorRoute } from '../../platform/http/route.ts';
import { readCursor, toPage } from '../../platform/lists.ts';
import { receipts } from './erasures.across.ts';
import * as contract from './erasures.contract.ts';

const tag = 'Operator';
const permission = 'platform.audit.view';

export const erasureRoutes = (db: Db) => [
  operatorRoute({
    method: 'GET',
    path: '/admin/erasures',
    name: 'listErasures',
    tag,
    summary: 'List the receipts of erased tenants, newest first',
    description:
      'A receipt knows its tenant by a hash only. Whoever has the id that the tenant had finds it with `tenantId`. Kept for ten years.',
    permission,
    query: contract.ListErasures,
    answer: contract.Erasures,
    handler: async (_desk, { query: { tenantId, cursor, limit } }) =>
      toPage(await receipts(db, { tenantId, before: readCursor(cursor), limit: limit + 1 }), limit),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/erasures/:id',
    name: 'getErasure',
    tag,
    summary: 'Read the receipt of an erased tenant',
    permission,
    params: contract.ErasureId,
    answer: contract.OneErasure,
    handler: async (_desk, { params: { id } }) => ({
      erasure: orNotFound('erasure', (await receipts(db, { id, limit: 1 }))[0]),
    }),
  }),
];
