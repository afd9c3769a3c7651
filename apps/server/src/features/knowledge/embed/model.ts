export interface SentenceModel {
  /** A vector of length 1. */
  embed(text: string): Promise<Float32Array>;
}

/** Token IDs of a text. */
export type Tokenize = (text: string) => number[];

export function normalized(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0)) || 1;
  return vector.map((value) => value / length);
}
