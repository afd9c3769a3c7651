import { sql } from 'kysely';
import type { Db } from './db.ts';

/** Whether the role of this connection owns tables or bypasses row-level security, which would break the isolation of tenants. */
export async function bypassesRowLevelSecurity(db: Db): Promise<boolean> {
  const { rows } = await sql<{ isUnsafe: boolean }>`
    select rolsuper or rolbypassrls or exists (
      select from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and pg_has_role(current_user, relowner, 'member')
    ) as is_unsafe from pg_roles where rolname = current_user`.execute(db);
  return rows[0]?.isUnsafe !== false;
}
