// Requests to copy, as curl and TypeScript. Secrets are variables: no secret is ever on the page.

export type Form = 'curl' | 'ts';

export interface Call {
  method: 'GET' | 'POST';
  path: string;
  body?: object;
}

export const curlOf = (apiUrl: string, { method, path, body }: Call, keyId = '$PARLEY_KEY_ID'): string =>
  [
    `curl ${method === 'POST' ? '-X POST ' : ''}"${apiUrl}${path}"`,
    `  -H "Authorization: Bearer $PARLEY_KEY"`,
    `  -H "X-Service-Api-Key-Id: ${keyId}"`,
    ...(body ? [`  -H "Content-Type: application/json"`, `  -d '${JSON.stringify(body, null, 2)}'`] : []),
  ].join(' \\\n');

const indented = (body: object) =>
  JSON.stringify(body, null, 2)
    .replaceAll(/"(\w+)":/g, '$1:')
    .replaceAll('"', "'")
    .replaceAll('\n', '\n  ');

export const fetchOf = (apiUrl: string, { method, path, body }: Call): string =>
  [
    `const response = await fetch('${apiUrl}${path}', {`,
    ...(method === 'POST' ? [`  method: 'POST',`] : []),
    `  headers: {`,
    `    authorization: \`Bearer \${process.env.PARLEY_KEY}\`,`,
    `    'x-service-api-key-id': process.env.PARLEY_KEY_ID!,`,
    ...(body ? [`    'content-type': 'application/json',`] : []),
    `  },`,
    ...(body ? [`  body: JSON.stringify(${indented(body)}),`] : []),
    `});`,
    `if (!response.ok) throw new Error(await response.text());`,
    `console.log(await response.json());`,
  ].join('\n');

export const snippetOf = (form: Form, apiUrl: string, call: Call): string =>
  form === 'curl' ? curlOf(apiUrl, call) : fetchOf(apiUrl, call);

/** See the guide on verifying webhooks. Needs only Node.js. */
export const verifySnippet = `import { createHmac, timingSafeEqual } from 'node:crypto';

/** \`rawBody\`: the request body as received, before parsing. */
export function isFromParley(rawBody: Buffer, headers: Record<string, string | undefined>, secret: string): boolean {
  const timestamp = headers['x-service-timestamp'] ?? '';
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!(age <= 300)) return false; // more than five minutes off, or not a number

  const expected = createHmac('sha256', secret).update(\`\${timestamp}.\`).update(rawBody).digest();
  // During a secret rotation there are two signatures. One match is enough.
  return (headers['x-service-signature'] ?? '').split(',').some((part) => {
    const [version, hex = ''] = part.trim().split('=');
    const actual = Buffer.from(hex, 'hex');
    return version === 'v1' && actual.length === expected.length && timingSafeEqual(actual, expected);
  });
}
`;
