import { AppError } from './errors.ts';
import type { Keyring, MasterKey } from './master-keys.ts';

/** Thrown inside a transaction that needs a key service. `withKeyService` makes the call after the transaction ended. */
export class KeyServiceNeeded extends Error {
  readonly call: () => Promise<void>;

  constructor(call: () => Promise<void>) {
    super('The key service must be called first.');
    this.name = 'KeyServiceNeeded';
    this.call = call;
  }
}

/**
 * Runs a transaction. If it needs a key service, the transaction is rolled back, the service is called without holding a
 * connection or a lock, and the transaction runs again with the result.
 */
export async function withKeyService<T>(keyring: Keyring, transaction: (keyring: Keyring) => Promise<T>): Promise<T> {
  const prepared = new Map<string, Buffer | Error>();
  for (;;) {
    try {
      return await transaction({ ...keyring, prepared });
    } catch (error) {
      if (!(error instanceof KeyServiceNeeded)) throw error;
      await error.call();
    }
  }
}

/** A local key is used directly. A key service is called between two runs of the transaction, at most once per `name`. */
export async function callWrapper(
  { prepared }: Keyring,
  { wrapper }: MasterKey,
  name: string,
  work: () => Promise<Buffer>,
): Promise<Buffer> {
  if (!wrapper.isRemote) return work();
  if (!prepared) throw new Error('Use `inTenant`: a key service cannot be called from inside another transaction.');
  const result = prepared.get(name);
  if (result instanceof Error) throw result;
  if (result) return result;
  throw new KeyServiceNeeded(async () => {
    try {
      prepared.set(name, await work());
    } catch (error) {
      // An outage fails the request. Other errors belong to the secret and are thrown where it is read, as for a local key.
      if (error instanceof AppError || !(error instanceof Error)) throw error;
      prepared.set(name, error);
    }
  });
}
