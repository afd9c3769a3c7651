import { hash } from 'node:crypto';
import { indexChunks } from '../../chunk/chunk-index.ts';
import { toChunks } from '../../chunk/chunking.ts';
import type { IndexedChunks, Chunk } from '../../chunk/chunks.store.ts';
import { Unreadable } from '../problems.ts';
import { languageOf } from './language.ts';
import { readBytes } from './read.ts';
import type { Raw } from './sniff.ts';

/** Counted up when documents are read or cut in a new way: then every one of them is cut again. */
const version = 1;

/** What a document is made from. */
export type DocumentInput =
  | { kind: 'file'; raw: Raw; /** Where it has none of its own. */ title?: string }
  | { kind: 'text'; title: string; text: string }
  | { kind: 'pair'; question: string; answer: string };

export interface DocumentRequest {
  input: DocumentInput;
  /** What its source is set to. null: it is detected. */
  language: string | null;
  /** Of what is stored: if it is still the same, nothing is indexed. */
  knownHash: Uint8Array | null;
}

/** A document, read, cut and indexed. */
export interface ReadDocument {
  title: string;
  language: string | null;
  /** Of all that matters: the same again means that nothing has changed. */
  hash: Uint8Array;
  /** What its chunks take up. */
  bytes: number;
  /** null: as it was. */
  indexed: IndexedChunks | null;
}

/** Runs in a reader thread: chunking and indexing a long text would keep every other tenant of the process waiting. */
export async function readDocument({ input, language, knownHash }: DocumentRequest): Promise<ReadDocument> {
  const { title, detected, chunks } = await contentOf(input, language === null);
  if (chunks.length === 0) throw new Unreadable('no_text');
  const document = { title, language: language ?? detected, chunks };
  const digest = hash('sha256', JSON.stringify([version, document]), 'buffer');
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
