import { InferenceSession, Tensor } from '../../../../onnx/runtime.js';
import { normalized, type SentenceModel, type Tokenize } from './model.ts';

/** A transformer as ONNX. The vector of a text is the mean of its tokens' vectors, unless the model returns it itself. */
export async function openOnnxModel(file: string, tokenize: Tokenize, maxTokens: number): Promise<SentenceModel> {
  // One core: the others serve requests.
  const session = await InferenceSession.create(file, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    enableCpuMemArena: false, // it would keep the memory of the longest text
  });
  const embed = async (text: string) => {
    const ids = shorten(tokenize(text), maxTokens);
    const row = (values: number[]) => new Tensor('int64', BigInt64Array.from(values.map(BigInt)), [1, values.length]);
    const inputs: Record<string, Tensor> = {
      input_ids: row(ids),
      attention_mask: row(ids.map(() => 1)),
      token_type_ids: row(ids.map(() => 0)),
    };
    const outputs = await session.run(
      Object.fromEntries(session.inputNames.map((name) => [name, inputs[name] ?? unknownInput(file, name)])),
    );
    const output = outputs['sentence_embedding'] ?? outputs[session.outputNames[0] ?? ''];
    if (!(output?.data instanceof Float32Array)) throw new Error(`${file} does not return floats.`);
    return normalized(output.dims.length === 3 ? meanOf(output.data, ids.length) : output.data);
  };
  return { embed };
}

/** Keeps the last token, which ends the text. */
const shorten = (ids: readonly number[], max: number) =>
  ids.length <= max ? [...ids] : [...ids.slice(0, max - 1), ...ids.slice(-1)];

function meanOf(values: Float32Array, rows: number): Float32Array {
  const dimensions = values.length / rows;
  const sum = new Float32Array(dimensions);
  for (const [n, value] of values.entries()) sum[n % dimensions] = (sum[n % dimensions] ?? 0) + value / rows;
  return sum;
}

function unknownInput(file: string, name: string): never {
  throw new Error(`${file} has an input ${name}, which sentence models do not have.`);
}
