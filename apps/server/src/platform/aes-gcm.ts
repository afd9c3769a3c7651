import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Nonce, tag, ciphertext. What is in `boundTo` is needed again to decrypt, and is not stored. */
export function encryptAesGcm(key: Buffer, plain: Buffer, boundTo: Buffer): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(boundTo);
  const text = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

export function decryptAesGcm(key: Buffer, box: Buffer, boundTo: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, 12), { authTagLength: 16 });
  decipher.setAAD(boundTo).setAuthTag(box.subarray(12, 28));
  return Buffer.concat([decipher.update(box.subarray(28)), decipher.final()]);
}
