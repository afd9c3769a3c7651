// Writes ONNX files: a graph of operators with their weights, as protobuf. Only what an encoder of sentences needs.
// Fields and their numbers: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto

const varint = (value: number): number[] =>
  value < 0x80 ? [value] : [(value % 0x80) | 0x80, ...varint(Math.floor(value / 0x80))];
const number = (field: number, value: number) => Buffer.from([...varint(field * 8), ...varint(value)]);
const bytes = (field: number, value: Uint8Array | string) => {
  const content = Buffer.from(value);
  return Buffer.concat([Buffer.from([...varint(field * 8 + 2), ...varint(content.length)]), content]);
};
const message = (field: number, ...parts: Buffer[]) => bytes(field, Buffer.concat(parts));
const float = (field: number, value: number) => {
  const content = Buffer.alloc(4);
  content.writeFloatLE(value);
  return Buffer.concat([Buffer.from(varint(field * 8 + 5)), content]);
};

const types = { float: 1, uint8: 2, int64: 7 } as const;
const arrays = { float: Float32Array, uint8: Uint8Array, int64: BigInt64Array } as const;
export type ElementType = keyof typeof types;

export interface Tensor {
  type: ElementType;
  shape: readonly number[];
  values: ArrayLike<number>;
}

type Attributes = Record<string, Attribute>;
/** Whole numbers from 0 up, or a float. */
type Attribute = number | readonly number[] | { float: number };

/** A tensor of known or named dimensions that goes in or out. */
export interface Port {
  name: string;
  type: ElementType;
  shape: readonly (number | string)[];
}

/** Collects operators and weights; `write` returns the file. */
export function createGraph() {
  const nodes: Buffer[] = [];
  const weights: Buffer[] = [];
  let count = 0;

  const weight = ({ type, shape, values }: Tensor): string => {
    const name = `w${count++}`;
    const content =
      type === 'int64' ? BigInt64Array.from(Array.from(values, BigInt)) : arrays[type].from(values as number[]);
    const raw = new Uint8Array(content.buffer, content.byteOffset, content.byteLength);
    const dimensions = shape.map((size) => number(1, size));
    weights.push(message(5, ...dimensions, number(2, types[type]), bytes(8, name), bytes(9, raw)));
    return name;
  };

  /** Adds an operator with outputs of these names. */
  const add = (type: string, inputs: readonly string[], names: readonly string[], attributes: Attributes = {}) => {
    nodes.push(
      message(
        1,
        ...inputs.map((input) => bytes(1, input)),
        ...names.map((output) => bytes(2, output)),
        bytes(4, type),
        ...Object.entries(attributes).map(([name, value]) => message(5, bytes(1, name), ...attributeOf(value))),
      ),
    );
  };
  const newName = () => `n${count++}`;
  /** Adds an operator and returns the name of its output. */
  const operator = (type: string, inputs: readonly string[], attributes?: Attributes): string => {
    const name = newName();
    add(type, inputs, [name], attributes);
    return name;
  };

  const write = (inputs: readonly Port[], outputs: readonly Port[]): Buffer => {
    const graph = [...nodes, bytes(2, 'graph'), ...weights, ...inputs.map(port(11)), ...outputs.map(port(12))];
    return Buffer.concat([number(1, 8), message(7, ...graph), message(8, number(2, 17))]); // format 8, operators 17
  };
  return { weight, add, newName, operator, write };
}
export type Graph = ReturnType<typeof createGraph>;

const attributeOf = (value: Attribute): Buffer[] =>
  typeof value === 'number'
    ? [number(3, value), number(20, 2)]
    : 'float' in value
      ? [float(2, value.float), number(20, 1)]
      : [...value.map((each) => number(8, each)), number(20, 7)];

const port =
  (field: number) =>
  ({ name, type, shape }: Port): Buffer => {
    const dimensions = shape.map((size) => message(1, typeof size === 'number' ? number(1, size) : bytes(2, size)));
    return message(field, bytes(1, name), message(2, message(1, number(1, types[type]), message(2, ...dimensions))));
  };
