import type { Db } from '../../../platform/db.ts';
import { orNotFound } from '../../../platform/errors.ts';
import { operatorRoute } from '../../../platform/http/route.ts';
import { readCursor, toPage } from '../../../platform/lists.ts';
import { listReceipts } from './erasures.cross-tenant.ts';
import * as contract from './erasures.contract.ts';

const tag = 'Operator';
const permission = 'platform.audit.view';

export const erasureRoutes = (db: Db) => [
  operatorRoute({
    method: 'GET',
    path: '/admin/erasures',
    name: 'listErasures',
    tag,
    summary: 'List erasure receipts',
    description:
      'Newest first, kept for ten years. A receipt identifies its tenant only by a hash: if you know the tenant’s id, filter by `tenantId`.',
    permission,
    query: contract.ListErasures,
    response: contract.Erasures,
    handler: async (_operator, { query: { tenantId, cursor, limit } }) =>
      toPage(await listReceipts(db, { tenantId, before: readCursor(cursor), limit: limit + 1 }), limit),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/erasures/:id',
    name: 'getErasure',
    tag,
    summary: 'Get an erasure receipt',
    permission,
    params: contract.ErasureId,
    response: contract.OneErasure,
    handler: async (_operator, { params: { id } }) => ({
      erasure: orNotFound('erasure', (await listReceipts(db, { id, limit: 1 }))[0]),
    }),
  }),
];
