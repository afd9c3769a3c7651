import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Returns nonce, tag and ciphertext. The associated data is needed again to decrypt, and is not stored. */
export function encryptAesGcm(key: Buffer, plain: Buffer, associatedData: Buffer): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(associatedData);
  const text = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

export function decryptAesGcm(key: Buffer, encrypted: Buffer, associatedData: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(0, 12), { authTagLength: 16 });
  decipher.setAAD(associatedData).setAuthTag(encrypted.subarray(12, 28));
  return Buffer.concat([decipher.update(encrypted.subarray(28)), decipher.final()]);
}
