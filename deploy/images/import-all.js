// Imports every package that is not bundled, in the image: a file that tracing missed would otherwise be found by a customer.
import { readFileSync } from 'node:fs';

const { dependencies } = JSON.parse(readFileSync('/app/package.json', 'utf8'));
const names = Object.keys(dependencies);
if (names.length === 0) throw new Error('package.json lists no packages');
for (const name of [...names, '/app/onnx/runtime.js']) await import(name);
