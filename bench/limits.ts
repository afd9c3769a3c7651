import { Redis } from 'ioredis';
import { sql } from 'kysely';
import { connect } from '../apps/server/src/platform/db.ts';
import type { Stack } from '../tools/stack/index.ts';

/** A benchmark reads more in a minute than a plan allows. The override still counts each read. */
export async function raiseReadLimit(stack: Stack, tenantId: string) {
  const admin = connect(Object.assign(new URL(stack.postgres.adminUrl), { pathname: 'parley' }).href, { max: 1 });
  await sql`insert into entitlement_overrides (tenant_id, name, value) values (${tenantId}, 'reads.per_minute', 60000000)`.execute(
    admin,
  );
  await admin.destroy();
}

/** A bot accepts 1,200 messages a minute, fewer than a benchmark sends. Starts the minute again. */
export async function resetMessageLimits({ valkey }: Stack) {
  const client = new Redis(valkey.url);
  const keys = await client.keys('*rate:messages-*');
  if (keys.length > 0) await client.del(keys);
  client.disconnect();
}
