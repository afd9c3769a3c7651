import { compactVerify, CompactSign, importJWK, type JWK } from 'jose';
import { z } from 'zod';
import type { Head } from './chain.ts';

const SignedHead = z.object({
  tenantId: z.string(),
  sequence: z.int(),
  entryId: z.string(),
  hash: z.string(),
  signedAt: z.coerce.date(),
});

/** A JWS, so that anyone with the public key can verify a copy. */
export async function signHead(signer: JWK, head: Head & { tenantId: string }): Promise<string> {
  const { tenantId, sequence, entryId, hash, signedAt } = head;
  const payload = JSON.stringify({ tenantId, sequence, entryId, hash, signedAt: signedAt.toISOString() });
  return new CompactSign(new TextEncoder().encode(payload))
    .setProtectedHeader({ alg: 'ES256', kid: signer.kid ?? '', typ: 'parley-audit-head' })
    .sign(await importJWK(signer, 'ES256'));
}

/** The content of a head, if a key of this deployment signed it for this tenant and sequence. */
export async function verifyHead(
  keys: readonly JWK[],
  tenantId: string,
  { sequence, jws }: { sequence: number; jws: string },
): Promise<(Head & { kid: string }) | undefined> {
  try {
    const { payload, protectedHeader } = await compactVerify(
      jws,
      async ({ kid }) => {
        const key = keys.find((one) => one.kid === kid);
        if (!key) throw new Error('unknown key');
        const { d: _private, ...publicKey } = key;
        return importJWK(publicKey, 'ES256');
      },
      { algorithms: ['ES256'] },
    );
    const head = SignedHead.parse(JSON.parse(new TextDecoder().decode(payload)));
    const isValid =
      protectedHeader.typ === 'parley-audit-head' && head.tenantId === tenantId && head.sequence === sequence;
    return isValid ? { ...head, kid: protectedHeader.kid ?? '' } : undefined;
  } catch {
    return undefined; // invalid for any reason
  }
}
