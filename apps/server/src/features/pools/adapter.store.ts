import { sql } from 'kysely';
import { errors, type Adapter, type AdapterFactory, type AdapterPayload } from 'oidc-provider';
import { later, type Db } from '../../platform/db.ts';
import { inPoolTx, readPoolTx } from './oidc-transaction.ts';
import { endHostedSessions } from './sessions.store.ts';
import type { PoolName, PoolTx } from '../../platform/pool.ts';
import { sha256 } from '../../platform/crypto.ts';

/** How long a used refresh token can be used again, for parallel tabs and lost responses. Short, because a thief could use it too. */
export const graceSeconds = 30;

/** Stores the OIDC library's data in the pool's schema. Ids are bearer tokens, so only their hashes are stored. */
export const createAdapter =
  (db: Db, pool: PoolName): AdapterFactory =>
  (kind: string): Adapter => {
    const run = <T>(work: (tx: PoolTx) => Promise<T>): Promise<T> => inPoolTx(db, pool, work);
    /** Stored when this returns, or with the transaction that it joins. */
    const write = (work: (tx: PoolTx) => Promise<unknown>): Promise<void> => run(async (tx) => later(tx, work(tx)));
    const grace = kind === 'RefreshToken' ? graceSeconds : 0;

    const read = async (column: 'id' | 'uidHash', value: string): Promise<AdapterPayload | undefined> => {
      const row = await readPoolTx(db, pool, (tx) =>
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
        ...(column === 'id' && { jti: value }), // not stored, because it is the token itself
        // Within the grace period it counts as unused, so that a parallel refresh neither fails nor revokes the family.
        ...(consumedAt && !isInGrace && { consumed: Math.floor(consumedAt.getTime() / 1_000) }),
      };
    };

    return {
      async upsert(id, { jti: _token, ...payload }, expiresIn) {
        const text = JSON.stringify(payload);
        // PostgreSQL cannot store null bytes.
        if (text.includes('\\u0000')) throw new errors.InvalidRequest('a parameter contains a null byte');
        const row = {
          payload: text,
          userId: payload.accountId ?? null,
          grantHash: payload.grantId ? sha256(payload.grantId) : null,
          uidHash: payload.uid ? sha256(payload.uid) : null,
          expiresAt: sql<Date>`now() + make_interval(secs => ${expiresIn})`,
        };
        await write((tx) =>
          tx
            .insertInto('oidcItems')
            .values({ kind, id: sha256(id), ...row })
            .onConflict((same) => same.columns(['kind', 'id']).doUpdateSet(row))
            .execute(),
        );
      },

      find: (id) => read('id', id),
      findByUid: (uid) => read('uidHash', uid),
      findByUserCode: () => Promise.resolve(undefined), // device flow, disabled

      /** A single statement, so that concurrent calls agree on which was first. */
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
          later(tx, tx.deleteFrom('oidcItems').where('kind', '=', kind).where('id', '=', sha256(id)).execute());
          if (kind !== 'Grant') return;
          // A session depends on its grant; ending it invalidates its access tokens too.
          const live = tx.updateTable('sessions').where('grantHash', '=', sha256(id)).where('endedAt', 'is', null);
          later(tx, live.set({ endedAt: sql`now()` }).execute());
          later(tx, endHostedSessions(tx, [sha256(id)]));
        });
      },

      async revokeByGrantId(grantId) {
        await write((tx) =>
          tx.deleteFrom('oidcItems').where('kind', '=', kind).where('grantHash', '=', sha256(grantId)).execute(),
        );
      },
    };
  };
