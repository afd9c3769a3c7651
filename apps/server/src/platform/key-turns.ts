const day = 86_400_000;

/** The one that signs now: the newest whose time has come. Give them newest first. */
export const signerOf = <K extends { signsFrom: Date }>(keys: readonly K[], now: Date): K | undefined =>
  keys.find(({ signsFrom }) => signsFrom <= now);

/** The signer first, then all others that verifiers may still need. */
export function signerFirst<K extends { signsFrom: Date }>(keys: readonly K[], now: Date): K[] {
  const signer = signerOf(keys, now);
  return [...keys.filter((key) => key === signer), ...keys.filter((key) => key !== signer)];
}

/**
 * What is due: the next key is published a day before it signs, since gateways may keep a key set for hours; an old one
 * stays a day, longer than anything it signed.
 */
export function dueTurns(
  keys: readonly { signsFrom: Date }[],
  days: number,
  now: Date,
): { add?: Date; dropBefore?: Date } {
  const signer = signerOf(keys, now);
  if (!signer) return { add: now };
  const since = signer.signsFrom.getTime();
  const isNextDue = since + days * day - day <= now.getTime();
  const hasNext = keys.some(({ signsFrom }) => signsFrom > now);
  return {
    ...(isNextDue && !hasNext && { add: new Date(now.getTime() + day) }),
    ...(since + day <= now.getTime() && { dropBefore: signer.signsFrom }),
  };
}
