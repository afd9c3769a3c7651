/** A size is known well enough when the next larger one that failed is within this factor. */
const closeEnough = 1.15;

export interface Tried {
  size: number;
  isMet: boolean;
}

/** The size to try next: doubled until one fails, then between the largest that met all objectives and the smallest that failed. */
export function nextSize(first: number, tried: readonly Tried[]): number | undefined {
  if (tried.length === 0) return first;
  const largest = largestMet(tried);
  const smallestFailed = Math.min(...tried.filter(({ isMet }) => !isMet).map(({ size }) => size));
  if (largest === undefined) return smallestFailed > first / 8 ? smallestFailed / 2 : undefined;
  if (smallestFailed === Infinity) return largest * 2;
  if (smallestFailed / largest <= closeEnough) return undefined;
  const between = Number(Math.sqrt(largest * smallestFailed).toPrecision(2));
  return between > largest && between < smallestFailed ? between : undefined;
}

/** A size that failed once may have been unlucky: a larger one that met all objectives counts. */
export const largestMet = (tried: readonly Tried[]): number | undefined => {
  const met = tried.filter(({ isMet }) => isMet).map(({ size }) => size);
  return met.length === 0 ? undefined : Math.max(...met);
};
