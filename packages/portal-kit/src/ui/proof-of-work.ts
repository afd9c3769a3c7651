interface Challenge {
  salt: string;
  hash: string;
  maxNumber: number;
  signature: string;
}

/** The longest time that solving blocks the page. */
const sliceMs = 20;

/**
 * Solves a proof-of-work challenge, in slices to keep the page responsive. Uses its own SHA-256, because `crypto.subtle`
 * takes ten times as long for such short inputs: each call goes to another thread.
 */
export async function solveChallenge({ salt, hash, maxNumber, signature }: Challenge): Promise<string> {
  const isHashOf = matcher(salt, hash);
  let until = performance.now() + sliceMs;
  for (let number = 0; number < maxNumber; number++) {
    if (isHashOf(String(number))) return `${salt}${number}.${signature}`;
    if (number % 256 !== 0 || performance.now() < until) continue;
    await new Promise((resolve) => setTimeout(resolve));
    until = performance.now() + sliceMs;
  }
  throw new Error('This challenge has no solution.');
}

const primes = [2];
for (let n = 3; primes.length < 64; n++) if (primes.every((prime) => n % prime)) primes.push(n);
/** The first 32 bits of the fraction, for the SHA-256 constants of FIPS 180-4. */
const fraction = (value: number) => ((value % 1) * 2 ** 32) | 0;
const start = Int32Array.from(primes.slice(0, 8), (prime) => fraction(prime ** (1 / 2)));
const [a0 = 0, b0 = 0, c0 = 0, d0 = 0, e0 = 0, f0 = 0, g0 = 0, h0 = 0] = start;
const constants = Int32Array.from(primes, (prime) => fraction(prime ** (1 / 3)));
const rotateRight = (word: number, bits: number) => (word >>> bits) | (word << (32 - bits));

/** Whether SHA-256 of salt and text equals the target. Together they fit one block: at most 55 characters. */
function matcher(salt: string, hash: string): (text: string) => boolean {
  const target = Int32Array.from(
    hash.match(/.{8}/g) ?? [],
    (word, n) => (Number.parseInt(word, 16) - (start[n] ?? 0)) | 0,
  );
  const view = new DataView(new ArrayBuffer(64));
  for (let n = 0; n < salt.length; n++) view.setUint8(n, salt.charCodeAt(n));
  const words = new Int32Array(64);
  return (text) => {
    const length = salt.length + text.length;
    for (let n = 0; n < text.length; n++) view.setUint8(salt.length + n, text.charCodeAt(n));
    view.setUint8(length, 0x80);
    for (let n = length + 1; n < 62; n++) view.setUint8(n, 0);
    view.setUint16(62, length * 8);
    for (let n = 0; n < 16; n++) words[n] = view.getInt32(n * 4);
    for (let n = 16; n < 64; n++) {
      const x = words[n - 15] ?? 0;
      const y = words[n - 2] ?? 0;
      const s0 = rotateRight(x, 7) ^ rotateRight(x, 18) ^ (x >>> 3);
      const s1 = rotateRight(y, 17) ^ rotateRight(y, 19) ^ (y >>> 10);
      words[n] = (words[n - 16] ?? 0) + s0 + (words[n - 7] ?? 0) + s1;
    }
    // Variable names from FIPS 180-4. No arrays, because this runs a hundred thousand times.
    let [a, b, c, d] = [a0, b0, c0, d0];
    let [e, f, g, h] = [e0, f0, g0, h0];
    for (let n = 0; n < 64; n++) {
      const s1 = rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25);
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (constants[n] ?? 0) + (words[n] ?? 0)) | 0;
      const t2 = (rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = (d + t1) | 0;
      d = c;
      c = b;
      b = a;
      a = (t1 + t2) | 0;
    }
    return a === target[0] && [a, b, c, d, e, f, g, h].every((word, n) => word === target[n]);
  };
}
