import type * as argon2Module from '@node-rs/argon2';

type Argon2 = typeof argon2Module;

/**
 * Password hashes at hardly any cost, for isolated files that test something else:
 * `vi.mock(import('@node-rs/argon2'), async (original) => withCheapHashes(await original()))`.
 */
export const withCheapHashes = (argon2: Argon2): Argon2 => ({
  ...argon2,
  hash: (password, options, signal) => argon2.hash(password, { ...options, memoryCost: 8, timeCost: 1 }, signal),
});
