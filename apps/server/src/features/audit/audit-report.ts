import { asSystem, inTenant, type Services } from '../../platform/context.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { tenantExists, tenantsAfter } from './audit-chain.store.ts';
import { readAuditKeys } from './audit-keys.store.ts';
import { verifyTenant, type Verification } from './audit-verification.ts';

interface ReportOptions {
  /** All tenants by default. */
  tenantId?: Id<'tenant'> | undefined;
  print: (line: string) => void;
}

/** Prints a line for each tenant. Throws with the first bad entry if a log fails verification. */
export async function verifyAuditLogs(services: Services, { tenantId, print }: ReportOptions): Promise<void> {
  if (tenantId && !(await inTenant(services, asSystem(tenantId, 'audit-verify'), ({ tx }) => tenantExists(tx))))
    throw new Error(`Tenant ${tenantId} not found.`);
  const keys = await readAuditKeys(services);
  const failed: Verification[] = [];
  let count = 0;
  for await (const id of tenantId ? [tenantId] : allTenants(services)) {
    const verification = await verifyTenant(services, keys, id);
    for (const line of describe(verification)) print(line);
    if (verification.problem && !verification.isBeingErased) failed.push(verification);
    count++;
  }
  const [first] = failed;
  if (first?.problem)
    throw new Error(
      `${failed.length} of ${count} audit logs failed verification. First bad entry: ${first.problem.entryId} of ${first.tenantId}.`,
    );
  print(`Verified audit logs: ${count}.`);
}

function describe({ tenantId, count, lastHead, warnings, problem, isBeingErased }: Verification): string[] {
  if (isBeingErased) return [`${tenantId}: skipped, being erased`];
  const head = lastHead
    ? `last head: entry ${lastHead.sequence}, signed ${lastHead.signedAt.toISOString()} by ${lastHead.kid}`
    : 'no signed head yet';
  return [
    `${tenantId}: ${count} entries verified, ${head}`,
    ...warnings.map((warning) => `${tenantId}: warning: ${warning}`),
    ...(problem ? [`${tenantId}: FAILED at entry ${problem.sequence} (${problem.entryId}): ${problem.reason}`] : []),
  ];
}

async function* allTenants({ db }: Services): AsyncGenerator<Id<'tenant'>> {
  for (let last = ''; ;) {
    const rows = await tenantsAfter(db, last);
    for (const { id } of rows) yield id;
    const end = rows.at(-1);
    if (!end) return;
    last = end.id;
  }
}
