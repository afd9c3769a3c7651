import { CompactEncrypt, compactDecrypt } from 'jose';
import { z } from 'zod';

type Key = { id: string; key: Uint8Array };
type Site = 'Strict' | 'Lax';

/** Browsers support at least 4,096 bytes per cookie, with name and attributes. Longer values are split. */
const maxBytes = 3_800;
const maxChunks = 5;

const text = new TextEncoder();

/**
 * Encrypted, host-only, HttpOnly cookies. With the name prefix, browsers accept them only from this host's HTTP
 * responses.
 */
export function createCookies(prefix: string, keys: readonly Key[]) {
  const currentKey = firstOf(keys);
  const nameOf = (name: string, chunk: number) => `__Host-Http-${prefix}_${name}${chunk === 0 ? '' : `.${chunk}`}`;
  const attributes = (site: Site) => `Path=/; Secure; HttpOnly; SameSite=${site}`;

  async function encrypt(name: string, value: object, { site = 'Strict', seconds }: { site?: Site; seconds: number }) {
    const header = { alg: 'dir', enc: 'A256GCM', kid: currentKey.id };
    const encrypted = await new CompactEncrypt(text.encode(JSON.stringify({ for: name, value })))
      .setProtectedHeader(header)
      .encrypt(currentKey.key);
    const chunks = Array.from({ length: Math.ceil(encrypted.length / maxBytes) }, (_, n) =>
      encrypted.slice(n * maxBytes, (n + 1) * maxBytes),
    );
    if (chunks.length > maxChunks) throw new Error(`cookie ${name} is too large`);
    return Array.from({ length: maxChunks }, (_, n) =>
      chunks[n] === undefined
        ? `${nameOf(name, n)}=; ${attributes(site)}; Max-Age=0`
        : `${nameOf(name, n)}=${chunks[n]}; ${attributes(site)}; Max-Age=${seconds}`,
    ).filter((cookie, n) => n < Math.max(chunks.length, 2) || !cookie.includes('=;')); // clears the chunks of a longer old value
  }

  const clear = (name: string, site: Site = 'Strict') =>
    [0, 1].map((n) => `${nameOf(name, n)}=; ${attributes(site)}; Max-Age=0`);

  /** Decrypts a cookie; undefined if it is missing, invalid or has another name. */
  async function open<T>(name: string, header: string | undefined, schema: z.ZodType<T>): Promise<T | undefined> {
    const received = parse(header);
    let encrypted = '';
    for (let n = 0; n < maxChunks; n++) {
      const chunk = received.get(nameOf(name, n));
      if (!chunk) break;
      encrypted += chunk;
    }
    if (encrypted === '') return undefined;
    try {
      const { plaintext } = await compactDecrypt(
        encrypted,
        ({ kid }) => {
          const match = keys.find(({ id }) => id === kid);
          if (!match) throw new Error('unknown cookie key');
          return match.key;
        },
        { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] },
      );
      const parsed = z
        .object({ for: z.literal(name), value: schema })
        .safeParse(JSON.parse(new TextDecoder().decode(plaintext)));
      return parsed.success ? parsed.data.value : undefined;
    } catch {
      return undefined;
    }
  }

  return { encrypt, clear, open };
}
export type Cookies = ReturnType<typeof createCookies>;

function parse(header = ''): Map<string, string> {
  const values = new Map<string, string>();
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (at > 0) values.set(pair.slice(0, at).trim(), pair.slice(at + 1).trim());
  }
  return values;
}

function firstOf([first]: readonly Key[]): Key {
  if (!first) throw new Error('COOKIE_KEYS is empty');
  return first;
}
