import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readDocument, root } from '../../../../tools/gen/client/document.ts';
import { pascal, splitTypes } from '../../../../tools/gen/client/types.ts';

const generated = (file: string) => readFileSync(join(root, 'packages', file), 'utf8');
const typesIn = (text: string) => [...text.matchAll(/^export type (\w+)/gm)].map(([, name = '']) => name);

test('the SDK contains no operation, path or type of platform admins', () => {
  const { operatorOperations, operatorSchemas } = readDocument();
  expect(operatorOperations.length).toBeGreaterThan(50);
  const types = typesIn(generated('sdk/src/generated/types.ts'));
  const operations = generated('sdk/src/generated/operations.ts');
  const exposed = operatorOperations.filter(
    ({ operationId, path }) =>
      types.includes(`${pascal(operationId)}Data`) ||
      operations.includes(` ${operationId}: `) ||
      operations.includes(`'${path}'`),
  );
  expect(exposed.map(({ operationId }) => operationId)).toEqual([]);
  expect(operatorSchemas).toContain('TenantHit');
  expect(operatorSchemas.filter((name) => types.includes(name))).toEqual([]);
});

test('each type is generated once, in the SDK or beside the portals', () => {
  const sdk = typesIn(generated('sdk/src/generated/types.ts'));
  const operator = typesIn(generated('portal-kit/src/service/generated/operator-types.ts'));
  expect(operator).toContain('ListTenantsData');
  expect(operator.filter((name) => sdk.includes(name))).toEqual([]);
});

test('types are split by what is reached, and a name in a comment or string does not count', () => {
  const text = `export type GetBotData = {
    /**
     * Unlike Secret, shown to all.
     */
    kind: 'Secret';
    owner: Owner;
};

/**
 * A person.
 */
export type Owner = {
    id: string;
};

export type Secret = {
    owner: Owner;
};
`;
  const { reached, others } = splitTypes(text, ['GetBotData'], './types.ts');
  expect(typesIn(reached)).toEqual(['GetBotData', 'Owner']);
  expect(reached).toContain('/**\n * A person.\n */\nexport type Owner');
  expect(typesIn(others)).toEqual(['Secret']);
  expect(others).toContain("import type { Owner } from './types.ts';");
  expect(() => splitTypes(text, ['Missing'], './types.ts')).toThrow('wrote no type Missing');
});
