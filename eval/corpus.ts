import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Document {
  /** Path of its file, such as `de/rueckgabe.md`. */
  name: string;
  language: string;
  title: string;
  markdown: string;
}

export interface Question {
  id: string;
  language: string;
  question: string;
  /** Where the answer is. Empty if the documents do not answer the question. */
  answers: { document: string; heading: string; mustContain: string }[];
  kind: string;
  split: 'dev' | 'held-out';
}

export interface Corpus {
  documents: Document[];
  questions: Question[];
}

export function readCorpus(folder = join(import.meta.dirname, 'corpus')): Corpus {
  const documents = ['en', 'de'].flatMap((language) => {
    const languageFolder = join(folder, 'documents', language);
    const files = existsSync(languageFolder) ? readdirSync(languageFolder).filter((file) => file.endsWith('.md')) : [];
    return files.toSorted().map((file): Document => {
      const markdown = readFileSync(join(languageFolder, file), 'utf8');
      const title = /^#\s+(.+)$/m.exec(markdown)?.[1] ?? file.replace(/\.md$/, '');
      return { name: `${language}/${file}`, language, title: title.trim(), markdown };
    });
  });
  const read = JSON.parse(readFileSync(join(folder, 'questions.json'), 'utf8')) as
    | Question[]
    | { questions: Question[] };
  return { documents, questions: Array.isArray(read) ? read : read.questions };
}
