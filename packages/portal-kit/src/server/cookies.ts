import { CompactEncrypt, compactDecrypt } from 'jose';
import { z } from 'zod';

type Key = { id: string; key: Uint8Array };
type Site = 'Strict' | 'Lax';

/** Browsers hold at least 4,096 bytes for each, with name and attributes; what is longer goes into several. */
const maxBytes = 3_800;
const maxParts = 5;

const text = new TextEncoder();

/**
 * Cookies that only this server reads: encrypted, for the whole host and no other, and out of reach of every script. The
 * prefix makes browsers see to it that nobody but this host's own answers can set them.
 */
export function createCookies(prefix: string, keys: readonly Key[]) {
  const encrypting = firstOf(keys);
  const nameOf = (name: string, part: number) => `__Host-Http-${prefix}_${name}${part === 0 ? '' : `.${part}`}`;
  const attributes = (site: Site) => `Path=/; Secure; HttpOnly; SameSite=${site}`;

  async function encrypt(name: string, value: object, { site = 'Strict', seconds }: { site?: Site; seconds: number }) {
    const header = { alg: 'dir', enc: 'A256GCM', kid: encrypting.id };
    const encrypted = await new CompactEncrypt(text.encode(JSON.stringify({ for: name, value })))
      .setProtectedHeader(header)
      .encrypt(encrypting.key);
    const parts = Array.from({ length: Math.ceil(encrypted.length / maxBytes) }, (_, n) =>
      encrypted.slice(n * maxBytes, (n + 1) * maxBytes),
    );
    if (parts.length > maxParts) throw new Error(`cookie ${name} is too large`);
    return Array.from({ length: maxParts }, (_, n) =>
      parts[n] === undefined
        ? `${nameOf(name, n)}=; ${attributes(site)}; Max-Age=0`
        : `${nameOf(name, n)}=${parts[n]}; ${attributes(site)}; Max-Age=${seconds}`,
    ).filter((cookie, n) => n < Math.max(parts.length, 2) || !cookie.includes('=;')); // a shorter one than last time leaves no tail
  }

  const clear = (name: string, site: Site = 'Strict') =>
    [0, 1].map((n) => `${nameOf(name, n)}=; ${attributes(site)}; Max-Age=0`);

  /** What was encrypted under that name, and by us; anything else is as if it were not there. */
  async function open<T>(name: string, header: string | undefined, shape: z.ZodType<T>): Promise<T | undefined> {
    const sent = parse(header);
    let encrypted = '';
    for (let n = 0; n < maxParts; n++) {
      const part = sent.get(nameOf(name, n));
      if (!part) break;
      encrypted += part;
    }
    if (encrypted === '') return undefined;
    try {
      const { plaintext } = await compactDecrypt(
        encrypted,
        ({ kid }) => {
          const known = keys.find(({ id }) => id === kid);
          if (!known) throw new Error('unknown cookie key');
          return known.key;
        },
        { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] },
      );
      const read = z
        .object({ for: z.literal(name), value: shape })
        .safeParse(JSON.parse(new TextDecoder().decode(plaintext)));
      return read.success ? read.data.value : undefined;
    } catch {
      return undefined;
    }
  }

  return { encrypt, clear, open };
}
export type Cookies = ReturnType<typeof createCookies>;

function parse(header = ''): Map<string, string> {
  const found = new Map<string, string>();
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (at > 0) found.set(pair.slice(0, at).trim(), pair.slice(at + 1).trim());
  }
  return found;
}

function firstOf([first]: readonly Key[]): Key {
  if (!first) throw new Error('COOKIE_KEYS is empty');
  return first;
}
