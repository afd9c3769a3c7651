import type { Readable } from 'node:stream';
import JSZip from 'jszip';
import { fromBufferPromise, type ZipFile } from 'yauzl';
import { Unreadable } from '../problems.ts';
import { limits } from './limits.ts';

export interface Entry {
  name: string;
  content: Buffer;
}

/**
 * Decompresses the entries that `isWanted` selects, `maxBytes` in total at most, regardless of the sizes stated in the
 * file.
 */
export async function unzip(
  bytes: Uint8Array,
  isWanted: (name: string) => boolean,
  maxBytes: number,
): Promise<Entry[]> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    // Stated sizes are not compared: a bomb that states less than it contains is too large, not corrupted.
    return await readEntries(await fromBufferPromise(buffer, { validateEntrySizes: false }), isWanted, maxBytes);
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    // The library gives no code for its errors, and throws this one before it returns the entry.
    const isProtected = error instanceof Error && error.message.startsWith('strong encryption');
    throw new Unreadable(isProtected ? 'password_protected' : 'corrupted', error);
  }
}

async function readEntries(zipFile: ZipFile, isWanted: (name: string) => boolean, maxBytes: number): Promise<Entry[]> {
  if (zipFile.entryCount > limits.entries) throw new Unreadable('too_large');
  const entries: Entry[] = [];
  let room = maxBytes;
  for await (const entry of zipFile.eachEntry()) {
    if (entry.isEncrypted()) throw new Unreadable('password_protected');
    if (!isWanted(entry.fileName)) continue;
    const content = await readAtMost(await zipFile.openReadStreamPromise(entry), room);
    room -= content.length;
    entries.push({ name: entry.fileName, content });
  }
  return entries;
}

/** Leaving the loop destroys the stream, so nothing beyond the limit is decompressed. */
async function readAtMost(stream: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length >= maxBytes) throw new Unreadable('too_large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

/** Creates a zip file without compression. */
export function zip(entries: readonly Entry[]): Promise<Buffer> {
  const file = new JSZip();
  for (const { name, content } of entries) file.file(name, content, { createFolders: false });
  return file.generateAsync({ type: 'nodebuffer' });
}
