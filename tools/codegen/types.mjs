// Writes the types of an OpenAPI document to a folder: `node types.mjs <document> <folder>`.
import { createClient } from '@hey-api/openapi-ts';

const [input, path] = process.argv.slice(2);
await createClient({
  input,
  output: { path },
  plugins: ['@hey-api/typescript'],
  logs: { level: 'silent', file: false },
});
