import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { weightsIn, type SentenceModel } from './model.ts';
import { openStaticModel } from './static-model.ts';

// Runs in the embedding thread. A folder has the files that sentence-transformers or Model2Vec save: `tokenizer.json`, and
// `model.onnx` (also as `onnx/model.onnx` or `onnx/model_quantized.onnx`) or the table of token vectors in
// `model.safetensors`. Nothing is downloaded.

export async function openSentenceModel(folder: string): Promise<SentenceModel> {
  const at = (name: string) => join(folder, name);
  const read = (name: string) => (existsSync(at(name)) ? (JSON.parse(readFileSync(at(name), 'utf8')) as object) : {});
  if (!existsSync(at('tokenizer.json'))) throw new Error(`${folder} has no tokenizer.json.`);
  const tokenizer = new Tokenizer(read('tokenizer.json'), read('tokenizer_config.json'));
  const weights = weightsIn(folder);
  if (!weights) throw new Error(`${folder} has neither model.onnx nor model.safetensors.`);
  if (weights.endsWith('.safetensors'))
    return openStaticModel(weights, (text) => tokenizer.encode(text, { add_special_tokens: false }).ids);
  const { max_position_embeddings: maxTokens = 512 } = read('config.json') as { max_position_embeddings?: number };
  const { max_seq_length: limit = maxTokens } = read('sentence_bert_config.json') as { max_seq_length?: number };
  const { openOnnxModel } = await import('./onnx-model.ts'); // native code, which a table does not need
  return openOnnxModel(weights, (text) => tokenizer.encode(text).ids, Math.min(limit, maxTokens));
}
