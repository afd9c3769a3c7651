import type { Node } from 'oxc-parser';
import type { Command, Flow } from './flow.ts';
import { isFunction, lineOf, nodesOf, type FunctionNode, type Source, type Sources } from './sources.ts';

/** The function that is being read. */
export interface Scope {
  sources: Sources;
  source: Source;
  /** The name of its Restate context. */
  context: string;
  /** Its variables that hold a client, or a function that uses the context. */
  clients: Map<string, Client>;
  closures: Map<string, FunctionNode>;
  /** The functions that called it, and itself. */
  calls: readonly { node: FunctionNode; body: Flow[] }[];
}

export interface Client {
  type: Extract<Command['type'], 'call' | 'send'>;
  service: string;
  key: string;
}

export const isContext = (node: Node, { context }: Scope) => node.type === 'Identifier' && node.name === context;

export const usesContext = (node: Node, scope: Scope) =>
  [...nodesOf(node)].some(
    (inner) =>
      isContext(inner, scope) ||
      (inner.type === 'Identifier' && (scope.clients.has(inner.name) || scope.closures.has(inner.name))),
  );

/** `ctx.client(…)`, `ctx.sendClient(…)`, or a variable that holds one. */
export function clientOf(node: Node, scope: Scope): Client | undefined {
  if (node.type === 'Identifier') return scope.clients.get(node.name);
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return undefined;
  const { object, property } = node.callee;
  if (!isContext(object, scope) || property.type !== 'Identifier') return undefined;
  if (property.name !== 'client' && property.name !== 'sendClient') return undefined;
  const [declared, key] = node.arguments;
  const found = declared?.type === 'Identifier' ? scope.sources.find(scope.source, declared.name) : undefined;
  const service = found && serviceOf(found.node)?.name;
  if (service === undefined) throw notUnderstood(node, scope, 'a call of an interface that is not found');
  return { type: property.name === 'client' ? 'call' : 'send', service, key: key ? textOf(key, scope) : '' };
}

/** The name and the handlers in `iface.object('Name', { … })`. */
export function serviceOf(node: Node): { name: string; handlers: string[] } | undefined {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return undefined;
  const { object } = node.callee;
  const [name, handlers] = node.arguments;
  if (object.type !== 'Identifier' || object.name !== 'iface' || name?.type !== 'Literal') return undefined;
  return { name: String(name.value), handlers: [...propertiesOf(handlers).keys()] };
}

export function propertiesOf(node: Node | undefined): Map<string, Node> {
  if (node?.type !== 'ObjectExpression') return new Map();
  return new Map(
    node.properties.flatMap((property): [string, Node][] =>
      property.type === 'Property' && property.key.type === 'Identifier' ? [[property.key.name, property.value]] : [],
    ),
  );
}

/** The source of an expression, without the functions in it. */
export const textOf = (node: Node, { source }: Scope) =>
  replaced(source, node, (inner) => (isFunction(inner) ? '…' : undefined));

/**
 * The source of a condition. With the values of constants, because another value is another condition; without calls that
 * are in the journal themselves.
 */
export const conditionOf = (node: Node, scope: Scope) =>
  replaced(scope.source, node, (inner) => {
    if (isFunction(inner) || (inner.type === 'CallExpression' && usesContext(inner, scope))) return '…';
    const value = inner.type === 'Identifier' ? scope.sources.find(scope.source, inner.name)?.node : undefined;
    return value?.type === 'Literal' ? (value.raw ?? undefined) : undefined;
  });

function replaced({ text }: Source, node: Node, replacementOf: (inner: Node) => string | undefined): string {
  let result = '';
  let at = node.start;
  for (const inner of nodesOf(node)) {
    const replacement = inner.start < at ? undefined : replacementOf(inner);
    if (replacement === undefined) continue;
    result += text.slice(at, inner.start) + replacement;
    at = inner.end;
  }
  return (result + text.slice(at, node.end)).replaceAll(/\s+/g, ' ');
}

/** A computed name could change without anyone noticing. */
export function nameIn(node: Node, scope: Scope): string {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type === 'TemplateLiteral') return textOf(node, scope).slice(1, -1);
  throw notUnderstood(node, scope, 'a name that is not a literal');
}

export const notUnderstood = (node: Node, { source }: Pick<Scope, 'source'>, what: string) =>
  new Error(
    `${lineOf(source, node)}: cannot tell what the journal contains, because of ${what}. Write it as a plain call, ` +
      'condition or loop, in the handler or in a function with a name, or extend tools/journals.',
  );
