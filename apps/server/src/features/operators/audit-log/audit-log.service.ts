import type { Services } from '../../../platform/context.ts';
import { readCursor, toPage } from '../../../platform/lists.ts';
import { inPool } from '../../../platform/pool.ts';
import { tenantEntries } from './audit-log.cross-tenant.ts';
import type { ExportPoolAudit, ExportTenantAudit, ListTenantAuditEntries } from './audit-log.contract.ts';
import { note, type By, type Parts } from '../operators.service.ts';
import { listEntries } from '../reading.service.ts';

/** A page answers within a second, whatever is looked for: then it says from where to go on. */
const lookedThrough = 50_000;
const exportedAtOnce = 1_000;

export async function listTenantEntries(
  { services: { db } }: { services: Pick<Services, 'db'> },
  { cursor, limit, ...filter }: ListTenantAuditEntries,
  within = lookedThrough,
) {
  const wanted = { ...filter, before: readCursor(cursor), max: limit + 1, within };
  const { entries, stoppedAt } = await tenantEntries(db, wanted);
  const page = toPage(entries, limit);
  return page.nextCursor || !stoppedAt ? page : { ...page, nextCursor: Buffer.from(stoppedAt).toString('base64url') };
}

/** In parts. Who takes the log away is a line of the log. */
export async function exportTenantEntries(parts: Parts, by: By, query: ExportTenantAudit) {
  await noteExport(parts, by, 'tenants', query);
  return listTenantEntries(parts, { ...query, limit: exportedAtOnce });
}

export async function exportPoolEntries(parts: Parts, by: By, query: ExportPoolAudit) {
  await noteExport(parts, by, query.pool, query);
  return listEntries(parts, { ...query, limit: exportedAtOnce });
}

async function noteExport(
  { services }: Parts,
  by: By,
  log: string,
  { cursor, ...filter }: { cursor?: string | undefined },
) {
  if (cursor === undefined)
    await inPool(services.db, 'admin', (tx) => note(tx, by, 'audit_log.exported', null, { log, filter }));
}
