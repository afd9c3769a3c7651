import { readFileSync } from 'node:fs';

/** A file of tensors: the length of its header, the header as JSON, then the numbers. */
interface Header {
  [name: string]: { dtype: string; shape: number[]; data_offsets: [number, number] };
}

/** Reads one tensor as floats, whatever it is stored as; undefined if the file does not have it. */
export function readTensor(file: string, name: string): { shape: number[]; values: Float32Array } | undefined {
  const content = readFileSync(file);
  const headerLength = Number(content.readBigUInt64LE(0));
  const start = 8 + headerLength;
  const header = JSON.parse(content.toString('utf8', 8, start)) as Header;
  const tensor = header[name];
  if (!tensor) return undefined;
  const [from, to] = tensor.data_offsets;
  const bytes = content.subarray(start + from, start + to);
  const read = readers[tensor.dtype];
  if (!read) throw new Error(`${file}: the tensor ${name} is stored as ${tensor.dtype}, which is not supported.`);
  const { size, valueAt } = read;
  return {
    shape: tensor.shape,
    values: Float32Array.from({ length: bytes.length / size }, (_, n) => valueAt(bytes, n * size)),
  };
}

const readers: Record<string, { size: number; valueAt: (bytes: Buffer, at: number) => number }> = {
  F64: { size: 8, valueAt: (bytes, at) => bytes.readDoubleLE(at) },
  F32: { size: 4, valueAt: (bytes, at) => bytes.readFloatLE(at) },
  F16: { size: 2, valueAt: (bytes, at) => halfFloat(bytes.readUInt16LE(at)) },
  I64: { size: 8, valueAt: (bytes, at) => Number(bytes.readBigInt64LE(at)) },
  I32: { size: 4, valueAt: (bytes, at) => bytes.readInt32LE(at) },
  I8: { size: 1, valueAt: (bytes, at) => bytes.readInt8(at) },
};

function halfFloat(bits: number): number {
  const sign = bits >> 15 ? -1 : 1;
  const [exponent, fraction] = [(bits >> 10) & 0x1f, bits & 0x3ff];
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction ? NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
