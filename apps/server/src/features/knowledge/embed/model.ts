import { existsSync } from 'node:fs';
import { join } from 'node:path';

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

const onnxFiles = ['model.onnx', 'model_quantized.onnx', 'onnx/model.onnx', 'onnx/model_quantized.onnx'];

/** The file with the weights, as ONNX if there are both; undefined if there is none. */
export const weightsIn = (folder: string): string | undefined =>
  [...onnxFiles, 'model.safetensors'].map((name) => join(folder, name)).find((file) => existsSync(file));
