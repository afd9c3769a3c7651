import { sql, type Kysely } from 'kysely';
import { expect, test } from 'vitest';
import type { DB } from '../../src/platform/db-types.ts';
import { readCandidates } from '../../src/features/knowledge/search/search.store.ts';
import { newId } from '../../src/platform/ids.ts';
import { admin, aTenant, services } from '../harness.ts';

// The one function that reads chunks past row-level security: docs/adr/0045-token-search.md

/** A tenant with a bot whose only chunk has the token `refund`. */
async function aTenantWithChunk() {
  const { tenantId } = await aTenant();
  const [workspaceId, botId] = [newId('workspace'), newId('bot')];
  const [sourceId, documentId] = [newId('knowledgeSource'), newId('knowledgeDocument')];
  await admin.insertInto('workspaces').values({ tenantId, id: workspaceId, name: 'Search' }).execute();
  await admin.insertInto('bots').values({ tenantId, id: botId, workspaceId, name: 'Search' }).execute();
  const source = { tenantId, id: sourceId, botId, kind: 'text', name: 'Search', config: '{}', createdBy: 'test' };
  await admin.insertInto('knowledgeSources').values(source).execute();
  const document = { tenantId, id: documentId, sourceId, location: '1', syncId: 'test' };
  await admin.insertInto('knowledgeDocuments').values(document).execute();
  await sql`insert into knowledge_chunks (tenant_id, document_id, place, source_id, bot_id, heading, body, config, tokens)
    values (${tenantId}, ${documentId}, 0, ${sourceId}, ${botId}, 'Refunds', 'Secret of the tenant', 'english', 'refund:1')`.execute(
    admin,
  );
  return { tenantId, botId, sourceId, documentId };
}
const [own, foreign] = [await aTenantWithChunk(), await aTenantWithChunk()];
const everyone = [own, foreign];

const within = <T>(db: Kysely<DB>, tenantId: string, work: (tx: Kysely<DB>) => Promise<T>) =>
  db.transaction().execute(async (tx) => {
    await sql`select set_config('app.tenant_id', ${tenantId}, true)`.execute(tx);
    return work(tx);
  });

/** Documents that the function finds for anything that a caller can pass: here, all ids of both tenants. */
async function foundIn(tx: Kysely<DB>): Promise<string[]> {
  const { rows } = await sql<{ documentId: string }>`
    select document_id from directory.match_chunks(${everyone.map(({ botId }) => botId)}::text[],
      ${everyone.map(({ sourceId }) => sourceId)}::text[], array['refund', '!nothing']::tsquery[], 1000)
    where document_id = any (${everyone.map(({ documentId }) => documentId)})`.execute(tx);
  return [...new Set(rows.map(({ documentId }) => documentId))];
}

test('finds only chunks of the tenant of the session, whatever ids are passed', async () => {
  for (const { tenantId, documentId } of everyone)
    expect(await within(services.db, tenantId, foundIn)).toEqual([documentId]);
});

test('finds nothing without a tenant', async () => {
  expect(await services.db.transaction().execute(foundIn)).toEqual([]);
  expect(await within(services.db, '', foundIn)).toEqual([]);
});

test('detects: the function without its condition on the tenant', async () => {
  const undone = new Error('intended rollback');
  await within(admin, own.tenantId, async (tx) => {
    const { rows } = await sql<{ definition: string }>`
      select pg_get_functiondef('directory.match_chunks'::regproc) as definition`.execute(tx);
    const careless = rows[0]?.definition.replace('c.tenant_id = public.current_tenant() and', '') ?? '';
    expect(careless).not.toBe(rows[0]?.definition);
    await sql.raw(careless).execute(tx);
    expect((await foundIn(tx)).toSorted()).toEqual(everyone.map(({ documentId }) => documentId).toSorted());
    throw undone;
  }).catch((error: unknown) => {
    if (error !== undone) throw error;
  });
});

test('returns the content of a chunk only to keys that are bound to its bot', async () => {
  const contentFor = (botId: string) =>
    within(services.db, own.tenantId, async (tx) => {
      await sql`select set_config('app.bound_bot_id', ${botId}, true)`.execute(tx);
      await sql`set local role parley_bound`.execute(tx);
      const terms = [{ lexeme: 'refund', worth: 1 }];
      const found = await readCandidates(tx as never, [own.sourceId], { terms, marked: [], max: 5 });
      return found.map(({ body }) => body);
    });
  expect(await contentFor(own.botId)).toEqual(['Secret of the tenant']);
  expect(await contentFor(newId('bot'))).toEqual([]);
});

test('its role reads only what the search needs, and nobody inherits that', async () => {
  const { rows: readable } = await sql<{ name: string }>`
    select attrelid::regclass || '.' || attname as name from pg_attribute join pg_class c on c.oid = attrelid
    where relkind in ('r', 'p', 'v', 'm') and attnum > 0 and not attisdropped
      and relnamespace in (select oid from pg_namespace where nspname !~ '^pg_|information_schema')
      and has_column_privilege('parley_search', attrelid, attnum, 'select, insert, update, references') order by attnum`.execute(
    admin,
  );
  expect(readable.map(({ name }) => name)).toEqual(
    ['tenant_id', 'document_id', 'place', 'source_id', 'bot_id', 'tokens'].map(
      (column) => `knowledge_chunks.${column}`,
    ),
  );
  const { rows: owned } = await sql<{ name: string }>`select proname as name from pg_proc
    where proowner = 'parley_search'::regrole union all select relname from pg_class where relowner = 'parley_search'::regrole`.execute(
    admin,
  );
  expect(owned).toEqual([{ name: 'match_chunks' }]);
  const { rows: roles } = await sql<{ name: string }>`select rolname as name from pg_roles
    where not rolsuper and rolname <> 'parley_search' and pg_has_role(oid, 'parley_search', 'usage')`.execute(admin);
  expect(roles).toEqual([]);
  const { rows: schemas } = await sql`select nspname from pg_namespace
    where nspname !~ '^pg_' and has_schema_privilege('parley_search', oid, 'create')`.execute(admin);
  expect(schemas).toEqual([]);
});
