/** Deterministic: picks the candidate that it has picked the fewest times so far. */
export function leastUsedPicker<T>() {
  const uses = new Map<T, number>();
  const usesOf = (one: T) => uses.get(one) ?? 0;
  return {
    usesOf,
    /** One of them, or none if there are no candidates. */
    pick(candidates: readonly T[]): T[] {
      if (candidates.length === 0) return [];
      const chosen = candidates.reduce((leastUsed, one) => (usesOf(one) < usesOf(leastUsed) ? one : leastUsed));
      uses.set(chosen, usesOf(chosen) + 1);
      return [chosen];
    },
  };
}
