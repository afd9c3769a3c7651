import mammoth from 'mammoth';
import { Unreadable } from '../problems.ts';
import { firstHeading, readFragment } from './html.ts';
import { limits } from './limits.ts';
import { unzip, zip } from './zip.ts';

/** The parts of a Word file that are needed to read its text, without images. */
const needed = /^(\[Content_Types\]\.xml|_rels\/\.rels|docProps\/core\.xml|word\/[\w-]+\.xml|word\/_rels\/[\w.-]+)$/;

/**
 * The library decompresses without a limit and trusts the sizes in the zip file. So it gets a new zip file with the
 * entries that we decompressed within our limit.
 */
export async function readDocx(bytes: Uint8Array) {
  const entries = await unzip(bytes, (name) => needed.test(name), limits.unpackedBytes);
  if (!entries.some(({ name }) => name === 'word/document.xml')) throw new Unreadable('unsupported_type');
  const { value } = await mammoth.convertToHtml({ buffer: await zip(entries) }).catch((error: unknown) => {
    throw new Unreadable('corrupted', error);
  });
  const markdown = readFragment(value);
  const core = entries.find(({ name }) => name === 'docProps/core.xml')?.content.toString() ?? '';
  const named = /<dc:title>([^<]{1,300})<\/dc:title>/.exec(core)?.[1]?.trim() ?? '';
  return { title: unescape(named) || firstHeading(markdown), markdown };
}

const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
const unescape = (text: string) => text.replaceAll(/&(\w+);/g, (all, name: string) => entities[name] ?? all);
