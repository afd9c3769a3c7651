import { LRUCache } from 'lru-cache';
import type { Context } from '../../../platform/context.ts';
import type { VersionContent } from '../../bots/bot-content.contract.ts';
import { contentOf } from '../../bots/index.ts';

/** Caches version content. Versions are immutable; the TTL is for erased tenants. */
export function createVersions() {
  const cache = new LRUCache<string, VersionContent>({ max: 500, ttl: 3_600_000 });
  return {
    async contentOf({ tx, tenantId }: Context, versionId: string): Promise<VersionContent> {
      const name = `${tenantId}/${versionId}`;
      const content = cache.get(name) ?? (await contentOf(tx, versionId));
      if (!content) throw new Error(`version ${versionId} not found`);
      cache.set(name, content);
      return content;
    },
  };
}
export type Versions = ReturnType<typeof createVersions>;
