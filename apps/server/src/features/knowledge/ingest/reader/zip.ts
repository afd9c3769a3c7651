import { crc32, inflateRawSync } from 'node:zlib';
import { Unreadable } from '../problems.ts';

export interface Entry {
  name: string;
  content: Buffer;
}

interface DirectoryEntry {
  name: string;
  isPacked: boolean;
  start: number;
  length: number;
}

/**
 * Decompresses the entries that `isWanted` selects, `maxBytes` in total at most, regardless of the sizes stated in the
 * file.
 */
export function unzip(bytes: Uint8Array, isWanted: (name: string) => boolean, maxBytes: number): Entry[] {
  const zip = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let room = maxBytes;
  return readDirectory(zip)
    .filter(({ name }) => isWanted(name))
    .map(({ name, isPacked, start, length }) => {
      const packed = zip.subarray(start, start + length);
      const content = isPacked ? inflate(packed, room) : packed;
      room -= content.length;
      if (room <= 0) throw new Unreadable('too_large');
      return { name, content };
    });
}

function inflate(packed: Buffer, maxBytes: number): Buffer {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, maxBytes) });
  } catch (error) {
    const isBomb = (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE';
    throw new Unreadable(isBomb ? 'too_large' : 'corrupted', error);
  }
}

/** Reads the central directory at the end of the file. */
function readDirectory(zip: Buffer): DirectoryEntry[] {
  const end = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  if (end < 0 || end + 22 > zip.length) throw new Unreadable('corrupted');
  const count = zip.readUInt16LE(end + 10);
  const entries: DirectoryEntry[] = [];
  try {
    let at = zip.readUInt32LE(end + 16);
    for (let n = 0; n < count; n++) {
      const [flags, method] = [zip.readUInt16LE(at + 8), zip.readUInt16LE(at + 10)];
      const length = zip.readUInt32LE(at + 20);
      const [named, extra, comment] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset)) as [
        number,
        number,
        number,
      ];
      const header = zip.readUInt32LE(at + 42);
      const name = zip.toString('utf8', at + 46, at + 46 + named);
      if (flags & 1) throw new Unreadable('password_protected');
      if (method !== 0 && method !== 8) throw new Unreadable('corrupted');
      const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
      entries.push({ name, isPacked: method === 8, start, length });
      at += 46 + named + extra + comment;
    }
  } catch (error) {
    throw error instanceof Unreadable ? error : new Unreadable('corrupted', error); // an offset points outside of the file
  }
  return entries;
}

/** Creates a zip file without compression. */
export function zip(entries: readonly Entry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content } of entries) {
    const title = Buffer.from(name);
    const common = Buffer.alloc(26); // the fields that local headers and directory entries share
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x0800, 2); // names are UTF-8
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(content.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(title.length, 22);
    const head = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, title]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, rest, title);
    parts.push(head, content);
    offset += head.length + content.length;
  }
  const listing = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(listing.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, listing, end]);
}
