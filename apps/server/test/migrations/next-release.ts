import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Changes of every kind but one, as a release after the present one could have them. */
export const changes = {
  '9001_tenants_columns.sql': `alter table tenants add column region text, add column tier text not null default 'standard';`,
  '9002_events_columns.sql': `alter table events add column region text, add column weight int not null default 1;`,
  '9003_tenants_tier_known.sql': `alter table tenants add constraint tier_known check (tier in ('standard', 'plus')) not valid;`,
  '9004_validate_tier.sql': `-- no transaction
alter table tenants validate constraint tier_known;`,
  '9005_events_weight_positive.sql': `alter table events add constraint weight_positive check (weight > 0) not valid;`,
  '9006_validate_weight.sql': `-- no transaction
alter table events validate constraint weight_positive;`,
  '9007_tenants_by_tier.sql': `-- no transaction
create index concurrently if not exists tenants_by_tier on tenants (tier, tenant_id);`,
  '9008_events_by_type.sql': `-- partition by partition
create index events_by_type on events (tenant_id, type) where is_public;`,
  '9009_notes.sql': `create table notes (
  tenant_id  text collate "C" not null default current_tenant() references tenants,
  id         text collate "C" not null,
  content    text not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id)
);
select protect_by_tenant('notes');
select grant_to_bound_keys();`,
};

/** The other kind: changes every tenant. */
export const backfill = {
  '9010_fill_region.sql': `-- backfill tenants by tenant_id, 1_000 rows at a time
update tenants set region = coalesce(region, '') || 'eu' where tenant_id > :after and tenant_id <= :upto;`,
};

export function addTo(dir: string, migrations: Record<string, string>): void {
  for (const [name, text] of Object.entries(migrations)) writeFileSync(join(dir, name), text);
}
