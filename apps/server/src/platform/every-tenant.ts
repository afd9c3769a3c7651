import { sql } from 'kysely';
import { asSystem, inTenant, type Context, type Services } from './context.ts';
import type { Id } from './ids.contract.ts';

const page = 500;

/** For maintenance: runs `work` for every tenant in its own transaction, repeated while it returns true. */
export async function everyTenant(
  services: Services,
  actorId: string,
  work: (ctx: Context) => Promise<boolean>,
): Promise<void> {
  for (let last = ''; ;) {
    const call = sql<{ id: Id<'tenant'> }>`select directory.tenants_after(${last}, ${page}) as id`;
    const { rows } = await call.execute(services.db);
    for (const { id } of rows) while (await inTenant(services, asSystem(id, actorId), work));
    last = rows.at(-1)?.id ?? '';
    if (rows.length < page) return;
  }
}
