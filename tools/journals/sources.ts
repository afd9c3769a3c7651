import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseSync, visitorKeys, type Node, type Program } from 'oxc-parser';

export interface Source {
  path: string;
  text: string;
  program: Program;
}

/** A declaration at the top level of a file: a function, or the value of a constant. */
export interface Declared {
  node: Node;
  source: Source;
}

export interface Sources {
  load(path: string): Source;
  /** What a name means in a file, wherever in the project it is declared. Not for packages. */
  find(source: Source, name: string): Declared | undefined;
}

export function openSources(): Sources {
  const loaded = new Map<string, Source>();
  const load = (path: string): Source => {
    const known = loaded.get(path);
    if (known) return known;
    const text = readFileSync(path, 'utf8');
    const source = { path, text, program: parseSync(path, text, { preserveParens: false }).program };
    loaded.set(path, source);
    return source;
  };
  const findIn = (source: Source, { value: path }: { value: string }, name: string) =>
    path.startsWith('.') ? find(load(resolve(dirname(source.path), path)), name) : undefined;
  const find = (source: Source, name: string): Declared | undefined => {
    for (const statement of source.program.body) {
      const isExport = statement.type === 'ExportNamedDeclaration';
      const declared = declarationOf((isExport && statement.declaration) || statement, name);
      if (declared) return { node: declared, source };
      if (statement.type === 'ImportDeclaration')
        for (const specifier of statement.specifiers)
          if (specifier.type === 'ImportSpecifier' && specifier.local.name === name)
            return findIn(source, statement.source, nameOf(specifier.imported));
      if (isExport && statement.source)
        for (const specifier of statement.specifiers)
          if (nameOf(specifier.exported) === name) return findIn(source, statement.source, nameOf(specifier.local));
      if (statement.type === 'ExportAllDeclaration') {
        const found = findIn(source, statement.source, name);
        if (found) return found;
      }
    }
    return undefined;
  };
  return { load, find };
}

function declarationOf(node: Node, name: string): Node | undefined {
  if (node.type === 'FunctionDeclaration') return node.id?.name === name ? node : undefined;
  if (node.type !== 'VariableDeclaration' || node.kind !== 'const') return undefined;
  const found = node.declarations.find(({ id }) => id.type === 'Identifier' && id.name === name);
  return found?.init ?? undefined;
}

const nameOf = (node: { name: string } | { value: string }) => ('name' in node ? node.name : node.value);

/** In the order in which they are evaluated. Without types, and without the names of properties. */
export function childrenOf(node: Node): Node[] {
  const isNamed = (node.type === 'MemberExpression' || node.type === 'Property') && !node.computed;
  const nameKey = node.type === 'MemberExpression' ? 'property' : 'key';
  return (visitorKeys[node.type] ?? [])
    .filter((key) => !(isNamed && key === nameKey) && !/^type|Type$/.test(key))
    .flatMap((key) => (node as unknown as Record<string, Node | Node[] | null>)[key] ?? [])
    .filter((child) => child !== null);
}

export function* nodesOf(node: Node): Generator<Node> {
  yield node;
  for (const child of childrenOf(node)) yield* nodesOf(child);
}

export type FunctionNode = Extract<Node, { type: 'ArrowFunctionExpression' | 'FunctionDeclaration' }>;
export const isFunction = (node: Node | undefined): node is FunctionNode =>
  node?.type === 'ArrowFunctionExpression' ||
  node?.type === 'FunctionExpression' ||
  node?.type === 'FunctionDeclaration';

export const lineOf = ({ path, text }: Source, { start }: Node) => `${path}:${text.slice(0, start).split('\n').length}`;
