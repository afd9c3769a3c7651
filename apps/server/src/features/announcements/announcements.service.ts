import { createCache, type Cache } from '../../platform/cache.ts';
import type { RequestInfo, Services, Operator } from '../../platform/context.ts';
import { transact, type Tx } from '../../platform/db.ts';
import { invalid, orNotFound } from '../../platform/errors.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { newId } from '../../platform/ids.ts';
import type { ListQuery } from '../../platform/lists.contract.ts';
import { readCursor, toPage } from '../../platform/lists.ts';
import { enterPool, recordPoolAudit } from '../../platform/pool.ts';
import type { Signals } from '../../platform/valkey.ts';
import type { Announcement, ChangeAnnouncement, CreateAnnouncement } from './announcements.contract.ts';
import * as store from './announcements.store.ts';

type CurrentAnnouncements = Awaited<ReturnType<typeof store.listCurrent>>;
export interface AnnouncementDeps {
  services: Services;
  cache: Cache<CurrentAnnouncements>;
}
interface OperatorRequest {
  operator: Operator;
  requestInfo: RequestInfo;
}

/** One cache entry for all plans: every page load of every tenant reads it. */
const cacheKey = 'all';

export const createAnnouncementDeps = (services: Services, signals: Signals): AnnouncementDeps => ({
  services,
  cache: createCache('announcements', signals, () => store.listCurrent(services.db)),
});

const maxShown = 10;

/** What a tenant on this plan sees. An announcement may have ended since it was cached. */
export async function listCurrentAnnouncements(
  { cache }: AnnouncementDeps,
  plan: string,
): Promise<{ data: Announcement[] }> {
  const now = new Date();
  const current = await cache.get(cacheKey);
  const shown = current.filter(
    (announcement) =>
      (announcement.plan === null || announcement.plan === plan) && (!announcement.endsAt || announcement.endsAt > now),
  );
  return { data: shown.slice(0, maxShown) };
}

export const listAnnouncements = async ({ services }: AnnouncementDeps, { cursor, limit }: ListQuery) =>
  toPage(await store.list(services.db, readCursor(cursor), limit + 1), limit);

export const createAnnouncement = (deps: AnnouncementDeps, request: OperatorRequest, input: CreateAnnouncement) =>
  applyChange(deps, request, 'announcement.created', newId('announcement'), async (tx, id) => {
    const startsAt = input.startsAt === undefined ? null : new Date(input.startsAt);
    const endsAt = input.endsAt === null ? null : new Date(input.endsAt);
    assertEndsAfterStart({ startsAt: startsAt ?? new Date(), endsAt });
    await store.insert(tx, id, { ...input, startsAt, endsAt, createdBy: request.operator.actor.id });
    return { announcement: await lockAnnouncement(tx, id) };
  });

export const changeAnnouncement = (
  deps: AnnouncementDeps,
  request: OperatorRequest,
  id: Id<'announcement'>,
  input: ChangeAnnouncement,
) =>
  applyChange(deps, request, 'announcement.changed', id, async (tx) => {
    const before = await lockAnnouncement(tx, id);
    const { title = before.title, text = before.text, kind = before.kind, plan = before.plan } = input;
    const startsAt = input.startsAt === undefined ? before.startsAt : new Date(input.startsAt);
    const endsAt = input.endsAt === undefined ? before.endsAt : input.endsAt === null ? null : new Date(input.endsAt);
    const fields = { title, text, kind, plan, startsAt, endsAt };
    assertEndsAfterStart(fields);
    await store.update(tx, id, fields);
    return { announcement: await lockAnnouncement(tx, id) };
  });

/** Ends an announcement immediately. A planned one ends at its start time. */
export const endAnnouncement = (deps: AnnouncementDeps, request: OperatorRequest, id: Id<'announcement'>) =>
  applyChange(deps, request, 'announcement.ended', id, async (tx) => {
    const { state } = await lockAnnouncement(tx, id);
    if (state !== 'ended') await store.end(tx, id);
    return { announcement: await lockAnnouncement(tx, id) };
  });

export const removeAnnouncement = (deps: AnnouncementDeps, request: OperatorRequest, id: Id<'announcement'>) =>
  applyChange(deps, request, 'announcement.removed', id, async (tx) => {
    const announcement = await lockAnnouncement(tx, id);
    await store.remove(tx, id);
    return { announcement };
  });

const lockAnnouncement = async (tx: Tx, id: string) => orNotFound('announcement', await store.lock(tx, id));

function assertEndsAfterStart({ startsAt, endsAt }: Pick<Announcement, 'startsAt' | 'endsAt'>) {
  if (endsAt && endsAt < startsAt)
    throw invalid('ends_before_start', [{ path: '/endsAt', message: 'The end must be after the start.' }]);
}

/** Makes a change and its audit log entry in one transaction, then invalidates the cache on all nodes. */
async function applyChange<T>(
  { services, cache }: AnnouncementDeps,
  { operator: { actor }, requestInfo: { ip, requestId } }: OperatorRequest,
  action: string,
  id: Id<'announcement'>,
  work: (tx: Tx, id: Id<'announcement'>) => Promise<T & { announcement: Announcement }>,
) {
  const result = await transact(services.db, 'begin', async (tx) => {
    const changed = await work(tx, id);
    const { title, kind } = changed.announcement;
    await enterPool(tx, 'admin', (poolTx) =>
      recordPoolAudit(poolTx, { action, userId: null, actor, ip, requestId, data: { id, title, kind } }),
    );
    return changed;
  });
  cache.invalidate(cacheKey);
  return result;
}
