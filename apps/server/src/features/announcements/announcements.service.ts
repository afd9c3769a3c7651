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

type Current = Awaited<ReturnType<typeof store.current>>;
export interface Announcing {
  services: Services;
  known: Cache<Current>;
}
interface By {
  operator: Operator;
  requestInfo: RequestInfo;
}

/** Every page of every tenant asks: one look in some seconds answers them all. */
const everybody = 'all';
export const openAnnouncing = (services: Services, signals: Signals): Announcing => ({
  services,
  known: createCache('announcements', signals, () => store.current(services.db)),
});

/** What tenants of this plan are told now. */
export async function currentOf({ known }: Announcing, plan: string): Promise<{ data: Announcement[] }> {
  const now = new Date();
  const all = await known.get(everybody);
  const theirs = all.filter((one) => (one.plan === null || one.plan === plan) && (!one.endsAt || one.endsAt > now));
  return { data: theirs.slice(0, 10) };
}

export const listAnnouncements = async ({ services }: Announcing, { cursor, limit }: ListQuery) =>
  toPage(await store.list(services.db, readCursor(cursor), limit + 1), limit);

export const createAnnouncement = (parts: Announcing, by: By, input: CreateAnnouncement) =>
  change(parts, by, 'announcement.created', newId('announcement'), async (tx, id) => {
    const startsAt = input.startsAt === undefined ? null : new Date(input.startsAt);
    const endsAt = input.endsAt === null ? null : new Date(input.endsAt);
    assertEndsLater({ startsAt: startsAt ?? new Date(), endsAt });
    await store.insert(tx, id, { ...input, startsAt, endsAt, createdBy: by.operator.actor.id });
    return { announcement: await read(tx, id) };
  });

export const changeAnnouncement = (parts: Announcing, by: By, id: Id<'announcement'>, input: ChangeAnnouncement) =>
  change(parts, by, 'announcement.changed', id, async (tx) => {
    const before = await read(tx, id);
    const { title = before.title, text = before.text, kind = before.kind, plan = before.plan } = input;
    const startsAt = input.startsAt === undefined ? before.startsAt : new Date(input.startsAt);
    const endsAt = input.endsAt === undefined ? before.endsAt : input.endsAt === null ? null : new Date(input.endsAt);
    const fields = { title, text, kind, plan, startsAt, endsAt };
    assertEndsLater(fields);
    await store.update(tx, id, fields);
    return { announcement: await read(tx, id) };
  });

/** Nobody is shown it any more. One that was planned ends as it would have begun. */
export const endAnnouncement = (parts: Announcing, by: By, id: Id<'announcement'>) =>
  change(parts, by, 'announcement.ended', id, async (tx) => {
    const { state } = await read(tx, id);
    if (state !== 'ended') await store.end(tx, id);
    return { announcement: await read(tx, id) };
  });

export const removeAnnouncement = (parts: Announcing, by: By, id: Id<'announcement'>) =>
  change(parts, by, 'announcement.removed', id, async (tx) => {
    const announcement = await read(tx, id);
    await store.remove(tx, id);
    return { announcement };
  });

const read = async (tx: Tx, id: string) => orNotFound('announcement', await store.lock(tx, id));

function assertEndsLater({ startsAt, endsAt }: Pick<Announcement, 'startsAt' | 'endsAt'>) {
  if (endsAt && endsAt < startsAt)
    throw invalid('ends_before_start', [{ path: '/endsAt', message: 'The end must be after the start.' }]);
}

/** With its line in the log of the operators; after the commit every node looks again. */
async function change<T>(
  { services, known }: Announcing,
  { operator: { actor }, requestInfo: { ip: address, requestId } }: By,
  action: string,
  id: Id<'announcement'>,
  work: (tx: Tx, id: Id<'announcement'>) => Promise<T & { announcement: Announcement }>,
) {
  const result = await transact(services.db, 'begin', async (tx) => {
    const made = await work(tx, id);
    const { title, kind } = made.announcement;
    await enterPool(tx, 'admin', (inside) =>
      recordPoolAudit(inside, { action, userId: null, actor, ip: address, requestId, data: { id, title, kind } }),
    );
    return made;
  });
  known.invalidate(everybody);
  return result;
}
