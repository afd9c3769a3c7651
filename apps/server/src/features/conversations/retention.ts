import { sql } from 'kysely';
import { asSystem, inTenant, type Ground } from '../../platform/context.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { forgetExpired } from './privacy.ts';

const page = 500;

/** Walks all tenants and forgets what is over its time. Any number of workers may do so at once: each takes other rows. */
export async function forgetConversations(ground: Ground): Promise<number> {
  let forgotten = 0;
  for (let last = ''; ;) {
    const call = sql<{ id: Id<'tenant'> }>`select directory.tenants_after(${last}, ${page}) as id`;
    const { rows } = await call.execute(ground.db);
    for (const { id } of rows) {
      for (;;) {
        const some = await inTenant(ground, asSystem(id, 'retention'), forgetExpired);
        forgotten += some;
        if (some === 0) break;
      }
    }
    last = rows.at(-1)?.id ?? '';
    if (rows.length < page) return forgotten;
  }
}
