import type { Services } from '../../../platform/context.ts';
import { readCursor, toPage } from '../../../platform/lists.ts';
import { inPool } from '../../../platform/pool.ts';
import { tenantEntries } from './audit-log.cross-tenant.ts';
import type { ExportPoolAudit, ExportTenantAudit, ListTenantAuditEntries } from './audit-log.contract.ts';
import { recordAudit, type OperatorRequest, type OperatorDeps } from '../operators.service.ts';
import { listEntries } from '../queries.service.ts';

/** Keeps the response time of a page under a second. If nothing matched so far, the page has a cursor to continue. */
const maxScanned = 50_000;
const exportPageSize = 1_000;

export async function listTenantEntries(
  { services: { db } }: { services: Pick<Services, 'db'> },
  { cursor, limit, ...filter }: ListTenantAuditEntries,
  scanLimit = maxScanned,
) {
  const entryQuery = { ...filter, before: readCursor(cursor), max: limit + 1, scanLimit };
  const { entries, stoppedAt } = await tenantEntries(db, entryQuery);
  const page = toPage(entries, limit);
  return page.nextCursor || !stoppedAt ? page : { ...page, nextCursor: Buffer.from(stoppedAt).toString('base64url') };
}

/** One page of an export. Starting an export is itself audited. */
export async function exportTenantEntries(deps: OperatorDeps, request: OperatorRequest, query: ExportTenantAudit) {
  await recordExport(deps, request, 'tenants', query);
  return listTenantEntries(deps, { ...query, limit: exportPageSize });
}

export async function exportPoolEntries(deps: OperatorDeps, request: OperatorRequest, query: ExportPoolAudit) {
  await recordExport(deps, request, query.pool, query);
  return listEntries(deps, { ...query, limit: exportPageSize });
}

async function recordExport(
  { services }: OperatorDeps,
  request: OperatorRequest,
  log: string,
  { cursor, ...filter }: { cursor?: string | undefined },
) {
  if (cursor === undefined)
    await inPool(services.db, 'admin', (tx) => recordAudit(tx, request, 'audit_log.exported', null, { log, filter }));
}
