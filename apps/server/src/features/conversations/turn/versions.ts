import { LRUCache } from 'lru-cache';
import type { Context } from '../../../platform/context.ts';
import type { VersionContent } from '../../bots/bot-content.contract.ts';
import { contentOf } from '../../bots/index.ts';

/** What versions hold. They never change, so what was read once stays true; but not for ever, as a tenant may be erased. */
export function createVersions() {
  const known = new LRUCache<string, VersionContent>({ max: 500, ttl: 3_600_000 });
  return {
    async contentOf({ tx, tenantId }: Context, versionId: string): Promise<VersionContent> {
      const name = `${tenantId}/${versionId}`;
      const content = known.get(name) ?? (await contentOf(tx, versionId));
      if (!content) throw new Error(`version ${versionId} not found`);
      known.set(name, content);
      return content;
    },
  };
}
export type Versions = ReturnType<typeof createVersions>;
