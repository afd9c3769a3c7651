import { AsyncLocalStorage } from 'node:async_hooks';
import { sql } from 'kysely';
import { errors, type Adapter, type AdapterFactory, type AdapterPayload } from 'oidc-provider';
import type { Db } from '../../platform/db.ts';
import { endHostedSessions, type LiveSession } from './sessions.store.ts';
import { inPool, type PoolName, type PoolTx } from '../../platform/pool.ts';
import { sha256 } from '../../platform/crypto.ts';

/** How long a refresh token just used may be used again: parallel tabs, lost answers. Longer would help a thief. */
export const graceSeconds = 30;

interface Ambient {
  tx: PoolTx;
  /** The session being made, so that its own first token need not look it up. */
  session?: LiveSession;
}
const ambient = new AsyncLocalStorage<Ambient>();

/** What the OIDC library saves during `work` is part of this transaction. */
export const savedWith = <T>(tx: PoolTx, work: (under: Ambient) => Promise<T>): Promise<T> => {
  const under: Ambient = { tx };
  return ambient.run(under, () => work(under));
};
export const sessionBeingMade = () => ambient.getStore()?.session;

/** The transaction under way, or one of its own. */
export function reach<T>(db: Db, pool: PoolName, work: (tx: PoolTx) => Promise<T>): Promise<T> {
  const tx = ambient.getStore()?.tx;
  return tx ? work(tx) : inPool(db, pool, work);
}

/** Everything the OIDC library keeps, in the pool's own schema. Ids are bearer tokens, so only their hashes are stored. */
export const createAdapter =
  (db: Db, pool: PoolName): AdapterFactory =>
  (kind: string): Adapter => {
    const run = <T>(work: (tx: PoolTx) => Promise<T>): Promise<T> => reach(db, pool, work);
    const grace = kind === 'RefreshToken' ? graceSeconds : 0;

    const read = async (column: 'id' | 'uidHash', value: string): Promise<AdapterPayload | undefined> => {
      const row = await run((tx) =>
        tx
          .selectFrom('oidcItems')
          .select(['payload', 'consumedAt'])
          .select(sql<boolean>`consumed_at > now() - make_interval(secs => ${grace})`.as('isInGrace'))
          .where('kind', '=', kind)
          .where(column, '=', sha256(value))
          .where('expiresAt', '>', sql<Date>`now()`)
          .executeTakeFirst(),
      );
      if (!row) return undefined;
      const { consumedAt, isInGrace } = row;
      return {
        ...(row.payload as AdapterPayload),
        ...(column === 'id' && { jti: value }), // it was left out: the row must not hold the token
        // Within the grace it counts as unused, so that a parallel refresh neither fails nor ends the family.
        ...(consumedAt && !isInGrace && { consumed: Math.floor(consumedAt.getTime() / 1_000) }),
      };
    };

    return {
      async upsert(id, { jti: _token, ...payload }, expiresIn) {
        const text = JSON.stringify(payload);
        // PostgreSQL has no word for a zero byte; nobody means one who asks to sign in.
        if (text.includes('\\u0000')) throw new errors.InvalidRequest('a parameter contains a null byte');
        const row = {
          payload: text,
          userId: payload.accountId ?? null,
          grantHash: payload.grantId ? sha256(payload.grantId) : null,
          uidHash: payload.uid ? sha256(payload.uid) : null,
          expiresAt: sql<Date>`now() + make_interval(secs => ${expiresIn})`,
        };
        await run((tx) =>
          tx
            .insertInto('oidcItems')
            .values({ kind, id: sha256(id), ...row })
            .onConflict((same) => same.columns(['kind', 'id']).doUpdateSet(row))
            .execute(),
        );
      },

      find: (id) => read('id', id),
      findByUid: (uid) => read('uidHash', uid),
      findByUserCode: () => Promise.resolve(undefined), // of the device flow, which is off

      /** One statement, so that of many at once all see who was first. */
      async consume(id) {
        const { numUpdatedRows } = await run((tx) =>
          tx
            .updateTable('oidcItems')
            .set({ consumedAt: sql`coalesce(consumed_at, now())` })
            .where('kind', '=', kind)
            .where('id', '=', sha256(id))
            .where(sql<boolean>`(consumed_at is null or consumed_at > now() - make_interval(secs => ${grace}))`)
            .executeTakeFirst(),
        );
        if (numUpdatedRows === 0n) throw new errors.InvalidGrant('already used');
      },

      async destroy(id) {
        await run(async (tx) => {
          await tx.deleteFrom('oidcItems').where('kind', '=', kind).where('id', '=', sha256(id)).execute();
          // The grant is what a session stands on: its access tokens end with it too.
          if (kind === 'Grant') {
            await tx
              .updateTable('sessions')
              .set({ endedAt: sql`now()` })
              .where('grantHash', '=', sha256(id))
              .where('endedAt', 'is', null)
              .execute();
            await endHostedSessions(tx, [sha256(id)]);
          }
        });
      },

      async revokeByGrantId(grantId) {
        await run((tx) =>
          tx.deleteFrom('oidcItems').where('kind', '=', kind).where('grantHash', '=', sha256(grantId)).execute(),
        );
      },
    };
  };
