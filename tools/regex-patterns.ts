import { parseSync } from 'oxc-parser';

export interface Pattern {
  at: string;
  pattern: string;
  flags: string;
}

export interface Patterns {
  found: Pattern[];
  /** Built from values that are only known at run time. */
  unknown: string[];
}

interface Node {
  type?: string;
  start?: number;
  [field: string]: unknown;
}

/**
 * The regular expressions of a file: its literals, and those that `new RegExp` and `.match` build from constants of the
 * same file. Others cannot be checked, and must be written as a literal or a loop.
 */
export function patternsIn(path: string, text: string): Patterns {
  const { program } = parseSync(path, text);
  const nodes = [...nodesOf(program)];
  const constants = new Map(nodes.flatMap(constantsOf));
  const at = ({ start = 0 }: Node) => `${path}:${text.slice(0, start).split('\n').length}`;
  const found = nodes.flatMap((node) => {
    const regex = node['regex'] as { pattern: string; flags: string } | undefined;
    return regex ? [{ at: at(node), pattern: regex.pattern, flags: regex.flags }] : [];
  });
  const unknown: string[] = [];
  for (const node of nodes) {
    const built = builtBy(node);
    if (!built) continue;
    const [pattern, flags] = built.map((one) => valueOf(one, constants));
    if (pattern === undefined || flags === undefined) unknown.push(at(node));
    else found.push({ at: at(node), pattern, flags });
  }
  return { found, unknown };
}

function* nodesOf(value: unknown): Generator<Node> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Node;
  for (const inner of Object.values(value)) yield* nodesOf(inner);
}

function constantsOf(node: Node): [string, Node][] {
  if (node.type !== 'VariableDeclaration' || node['kind'] !== 'const') return [];
  return (node['declarations'] as { id: Node; init: Node | null }[]).flatMap(({ id, init }) =>
    id.type === 'Identifier' && init ? [[id['name'] as string, init]] : [],
  );
}

const noFlags: Node = { type: 'Literal', value: '' };
const anyFlags: Node = { type: 'Literal', value: 'g' };

/** The pattern and the flags that a node builds a regular expression from. */
function builtBy(node: Node): [Node, Node] | undefined {
  if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return undefined;
  const callee = node['callee'] as Node;
  const [pattern, flags = noFlags] = node['arguments'] as Node[];
  const name = (callee['property'] as Node | undefined)?.['name'] ?? callee['name'];
  if (name === 'RegExp') return [pattern ?? noFlags, flags];
  const isString = pattern?.type === 'TemplateLiteral' || typeof pattern?.['value'] === 'string';
  const isMatch = callee.type === 'MemberExpression' && (name === 'match' || name === 'matchAll');
  return isMatch && isString ? [pattern, anyFlags] : undefined;
}

/** The value of a constant string. */
function valueOf(node: Node, constants: ReadonlyMap<string, Node>): string | undefined {
  if (typeof node['value'] === 'string') return node['value'];
  if (node.type === 'Identifier') {
    const constant = constants.get(node['name'] as string);
    return constant && valueOf(constant, constants);
  }
  if (node.type !== 'TemplateLiteral') return undefined;
  const quasis = (node['quasis'] as { value: { cooked: string } }[]).map(({ value }) => value.cooked);
  const inner = (node['expressions'] as Node[]).map((one) => valueOf(one, constants));
  if (inner.includes(undefined)) return undefined;
  return quasis.map((quasi, n) => quasi + (inner[n] ?? '')).join('');
}
