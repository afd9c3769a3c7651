const day = 86_400_000;

/** The current signer: the newest key that is active. Expects keys sorted newest first. */
export const signerOf = <K extends { signsFrom: Date }>(keys: readonly K[], now: Date): K | undefined =>
  keys.find(({ signsFrom }) => signsFrom <= now);

/** The signer first, then all other keys that verifiers may still need. */
export function signerFirst<K extends { signsFrom: Date }>(keys: readonly K[], now: Date): K[] {
  const signer = signerOf(keys, now);
  return [...keys.filter((key) => key === signer), ...keys.filter((key) => key !== signer)];
}

/**
 * What is due: the next key is published a day before it signs, because gateways may cache a key set for hours; an old
 * key is kept for a day, longer than anything it signed is valid. A forced rotation does the same, earlier.
 */
export function dueRotation(
  keys: readonly { signsFrom: Date }[],
  days: number,
  now: Date,
  isForced = false,
): { add?: Date; dropBefore?: Date } {
  const signer = signerOf(keys, now);
  if (!signer) return { add: now };
  const since = signer.signsFrom.getTime();
  const isNextDue = isForced || since + days * day - day <= now.getTime();
  const hasNext = keys.some(({ signsFrom }) => signsFrom > now);
  return {
    ...(isNextDue && !hasNext && { add: new Date(now.getTime() + day) }),
    ...(since + day <= now.getTime() && { dropBefore: signer.signsFrom }),
  };
}

/** The state of each key. Expects keys sorted newest first. */
export function statesOf<K extends { kid: string; signsFrom: Date }>(keys: readonly K[], days: number, now: Date) {
  const signer = signerOf(keys, now);
  const next = keys.findLast(({ signsFrom }) => signsFrom > now);
  const after = (from: Date, count: number) => new Date(from.getTime() + count * day);
  return keys.map(({ kid, signsFrom }) => {
    if (signsFrom > now) return { kid, state: 'next' as const, since: signsFrom, until: null };
    if (kid === signer?.kid)
      return { kid, state: 'signing' as const, since: signsFrom, until: next?.signsFrom ?? after(signsFrom, days) };
    return { kid, state: 'retired' as const, since: signsFrom, until: signer ? after(signer.signsFrom, 1) : null };
  });
}
