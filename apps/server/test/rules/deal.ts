/** Chooses by turns, and in every run alike: of those it is offered the one that it chose least often so far. */
export function dealer<T>() {
  const uses = new Map<T, number>();
  const usesOf = (one: T) => uses.get(one) ?? 0;
  return {
    usesOf,
    /** One of them; none of none. */
    take(offered: readonly T[]): T[] {
      if (offered.length === 0) return [];
      const chosen = offered.reduce((least, one) => (usesOf(one) < usesOf(least) ? one : least));
      uses.set(chosen, usesOf(chosen) + 1);
      return [chosen];
    },
  };
}
