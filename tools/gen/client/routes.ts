// The same operations by path and method, for the portals: types only, so that they add nothing to a page.
import type { PlacedOperation } from './document.ts';
import { head, pascal } from './types.ts';

/** Where the types are: those of the SDK, and those that only platform admins need. */
interface Sources {
  sdk: string;
  operator: string;
}
interface AudienceInput {
  operations: readonly PlacedOperation[];
  schemas: readonly string[];
}

export function routesText(forAll: AudienceInput, forOperators: AudienceInput, { sdk, operator }: Sources): string {
  const operations = [
    ...forAll.operations.map((operation) => ({ ...operation, from: 'sdk' })),
    ...forOperators.operations.map((operation) => ({ ...operation, from: 'operator' })),
  ];
  const route = ([path, methods]: [string, typeof operations | undefined]) => [
    `  '${path}': {`,
    ...(methods ?? []).map(({ method, operationId, from }) => {
      const name = `${from}.${pascal(operationId)}`;
      return `    ${method}: { input: ${name}Data; response: ${name}Response };`;
    }),
    '  };',
  ];
  const schema = (from: string) => (name: string) => `  ${name}: ${from}.${name};`;
  return `${head}import type * as operator from '${operator}';
import type * as sdk from '${sdk}';

/** What each operation takes and returns, by path and method. */
export interface Routes {
${Object.entries(Object.groupBy(operations, ({ path }) => path))
  .toSorted(([a], [b]) => (a < b ? -1 : 1))
  .flatMap(route)
  .join('\n')}
}

/** The schemas of the document, by name. */
export interface Schemas {
${[...forAll.schemas.map(schema('sdk')), ...forOperators.schemas.map(schema('operator'))].toSorted().join('\n')}
}
`;
}
