const validDays = 180;

/** RFC 9116. The expiry is counted from the start of the day, so that the file changes only once per day. */
export function securityTxt(contacts: readonly string[], publicUrl: string, now: Date): string {
  const expires = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + validDays));
  return [
    ...contacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${expires.toISOString()}`,
    'Preferred-Languages: en',
    `Canonical: ${new URL('/.well-known/security.txt', publicUrl).href}`,
    '',
  ].join('\n');
}
