// The SDK's operations: a table for the client, and the signature of each method.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reasonsOf, serverSources } from '../../../apps/docs/src/errors/reasons.ts';
import { declaredRoutes } from '../routes.ts';
import { root, type Document, type PlacedOperation } from './document.ts';
import { head, pascal } from './types.ts';

/** Executed once per key: the server stores key, change and response in one transaction. */
const keyedOperations = async () =>
  new Set(
    (await declaredRoutes())
      .filter((route) => route.kind === 'tenant' && route.method === 'POST' && !route.withoutTransaction)
      .map(({ name }) => name),
  );

function signature(operation: PlacedOperation): string {
  const { operationId, method, path, summary, description, parameters = [], requestBody } = operation;
  const isRequired = requestBody?.required === true || parameters.some(({ required }) => required);
  const permission = operation['x-permission'];
  const rights = permission?.includes('.') ? `, permission \`${permission}\`` : '';
  const name = pascal(operationId);
  return [
    `  /** ${summary}.${description ? ` ${description}` : ''} \`${method} ${path}\`${rights} */`,
    `  ${operationId}: (call${isRequired ? '' : '?'}: Call<t.${name}Data>) => Promise<t.${name}Response>;`,
  ].join('\n');
}

export async function operationsText(document: Document, operations: readonly PlacedOperation[]): Promise<string> {
  const sdk = JSON.parse(readFileSync(join(root, 'packages/sdk/package.json'), 'utf8')) as { version: string };
  const takesKey = await keyedOperations();
  const row = ({ operationId, method, path }: PlacedOperation) =>
    `  ${operationId}: { method: '${method}', path: '${path}'${takesKey.has(operationId) ? ', takesKey: true' : ''} },`;
  const errorCodes = (
    document.components.schemas['Error'] as { properties: { error: { properties: { code: { enum: string[] } } } } }
  ).properties.error.properties.code.enum;
  const reasons = [...new Set(reasonsOf(serverSources()).map(({ reason }) => reason))].toSorted();

  return `${head}import type { Call } from '../options.ts';
import type * as t from './types.ts';

export const apiVersion = '${document.info.version}';
export const sdkVersion = '${sdk.version}';

/** What an answer that is no success says in \`code\`. */
export type ApiErrorCode = ${errorCodes.map((code) => `'${code}'`).join(' | ')};

/** The exact rule that it says in \`reason\`, as far as this version knows them: a newer service may say more. */
export type ApiErrorReason =
${reasons.map((reason) => `  | '${reason}'`).join('\n')};

export const operations = {
${operations.map(row).join('\n')}
} as const;

/** One method for each operation of the API. */
export interface Operations {
${operations.map(signature).join('\n')}
}
`;
}
