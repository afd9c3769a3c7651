import { hash } from 'node:crypto';
import { indexChunks } from '../../chunk/chunk-index.ts';
import { toChunks } from '../../chunk/chunking.ts';
import type { IndexedChunks, Chunk } from '../../chunk/chunks.store.ts';
import { Unreadable } from '../problems.ts';
import { languageOf } from './language.ts';
import { readBytes } from './read.ts';
import type { RawFile } from './sniff.ts';
import { readerVersion } from './version.ts';

/** The input of a document. */
export type DocumentInput =
  | { kind: 'file'; raw: RawFile; /** Used if the file has none. */ title?: string }
  | { kind: 'text'; title: string; text: string }
  | { kind: 'pair'; question: string; answer: string };

export interface DocumentRequest {
  input: DocumentInput;
  /** The language set on the source. null: detected. */
  language: string | null;
  /** Hash of the stored content. If it is unchanged, nothing is indexed. */
  knownHash: Uint8Array | null;
}

/** A parsed, chunked and indexed document. */
export interface ReadDocument {
  title: string;
  language: string | null;
  /** Hash of title, language and chunks. */
  hash: Uint8Array;
  /** Total size of its chunks. */
  bytes: number;
  /** null if unchanged. */
  indexed: IndexedChunks | null;
}

/** Runs in a reader thread: chunking and indexing a long document would block all other tenants of the process. */
export async function readDocument({ input, language, knownHash }: DocumentRequest): Promise<ReadDocument> {
  const { title, detected, chunks } = await contentOf(input, language === null);
  if (chunks.length === 0) throw new Unreadable('no_text');
  const document = { title, language: language ?? detected, chunks };
  const digest = hash('sha256', JSON.stringify([readerVersion, document]), 'buffer');
  const isSame = knownHash !== null && digest.equals(knownHash);
  return {
    title,
    language: document.language,
    hash: digest,
    bytes: chunks.reduce((sum, { heading, body }) => sum + Buffer.byteLength(heading) + Buffer.byteLength(body), 0),
    indexed: isSame ? null : indexChunks(document, chunks),
  };
}

interface Content {
  title: string;
  detected: string | null;
  chunks: Chunk[];
}

async function contentOf(input: DocumentInput, isToDetect: boolean): Promise<Content> {
  switch (input.kind) {
    case 'text': {
      const { title, text } = input;
      return { title, detected: isToDetect ? languageOf(text) : null, chunks: toChunks(text, title) };
    }
    case 'pair': {
      const { question, answer } = input;
      const detected = isToDetect ? languageOf(`${question} ${answer}`) : null;
      return { title: question, detected, chunks: [{ heading: question, body: answer }] };
    }
    case 'file': {
      const reading = await readBytes(input.raw);
      const title = reading.title || (input.title ?? '');
      return { title, detected: reading.language, chunks: toChunks(reading.markdown, title) };
    }
  }
}
