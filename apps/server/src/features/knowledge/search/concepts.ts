import type { Expectation } from './expected.ts';

/** One way in which a chunk may speak of what was asked. */
export interface Alternative {
  /** All of them, close together. */
  lexemes: string[];
  /** Only in chunks of this language; null: in any. */
  config: string | null;
  /** 1 for the token itself, less for what only resembles it. */
  weight: number;
  chunks: number;
  rarity: number;
}

/** A token of the question that says what it is about. */
export interface Concept {
  token: string;
  /** How much rarer than others it is. */
  rarity: number;
  alternatives: Alternative[];
}

export interface Question {
  concepts: Concept[];
  /** The language it is asked in, where that is plain. */
  config: string | null;
  /** What its answer looks like. */
  expected: Expectation[];
}
