import type { Expectation } from './expected.ts';

/** One way in which a chunk may express a concept. */
export interface Alternative {
  /** All of them must occur close together. */
  lexemes: string[];
  /** Only in chunks of this language. null: in any. */
  config: string | null;
  /** 1 for the token itself, less for a similar or related one. */
  weight: number;
  chunks: number;
  rarity: number;
}

/** A token of the question that carries meaning. */
export interface Concept {
  token: string;
  /** Inverse document frequency. */
  rarity: number;
  alternatives: Alternative[];
}

export interface Question {
  concepts: Concept[];
  /** How many chunks are searched. */
  total: number;
  /** The language of the question, or null if unclear. */
  config: string | null;
  /** What an answer is expected to contain. */
  expected: Expectation[];
}
