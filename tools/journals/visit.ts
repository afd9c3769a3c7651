import type { Node } from 'oxc-parser';
import {
  clientOf,
  conditionOf,
  isContext,
  nameIn,
  notUnderstood,
  textOf,
  usesContext,
  type Scope,
} from './expressions.ts';
import { branch, command, exit, functionCall, loop, type Flow } from './flow.ts';
import { childrenOf, isFunction, type FunctionNode, type Source, type Sources } from './sources.ts';

type Call = Extract<Node, { type: 'CallExpression' }>;

/** The journal of a handler, in the order of evaluation. */
export function flowOf(handler: FunctionNode, source: Source, sources: Sources): Flow[] {
  const [context] = handler.params;
  const name = context?.type === 'Identifier' ? context.name : '';
  const calls = [{ node: handler, body: [] }];
  return visitBody(handler, { sources, source, context: name, clients: new Map(), closures: new Map(), calls });
}

function visitFunction(name: string, node: FunctionNode, scope: Scope): Flow[] {
  const caller = scope.calls.find((call) => call.node === node);
  if (caller) return functionCall(name, caller.body, true);
  const body: Flow[] = [];
  body.push(...visitBody(node, { ...scope, calls: [...scope.calls, { node, body }] }));
  return functionCall(name, body);
}

function visitBody({ body }: FunctionNode, scope: Scope): Flow[] {
  const flow = visit(body, scope);
  return flow.at(-1)?.text === 'return' ? flow.slice(0, -1) : flow;
}

const visitAll = (nodes: readonly (Node | null | undefined)[], scope: Scope) =>
  nodes.flatMap((node) => visit(node, scope));

function visit(node: Node | null | undefined, scope: Scope): Flow[] {
  if (!node) return [];
  switch (node.type) {
    case 'CallExpression':
      return visitCall(node, scope);
    case 'VariableDeclarator': {
      const { id, init } = node;
      if (!init || id.type !== 'Identifier') return visit(init, scope);
      const client = clientOf(init, scope);
      if (client) scope.clients.set(id.name, client);
      else if (isFunction(init) && usesContext(init, scope)) scope.closures.set(id.name, init);
      else return visit(init, scope);
      return [];
    }
    case 'IfStatement':
    case 'ConditionalExpression': {
      const [body, otherwise] = [visit(node.consequent, scope), visit(node.alternate, scope)];
      return [...visit(node.test, scope), ...branch(`if (${conditionOf(node.test, scope)})`, body, otherwise)];
    }
    case 'LogicalExpression': {
      const text = `if (${conditionOf(node.left, scope)} ${node.operator})`;
      return [...visit(node.left, scope), ...branch(text, visit(node.right, scope))];
    }
    case 'ForStatement':
    case 'WhileStatement':
    case 'DoWhileStatement':
    case 'ForOfStatement':
    case 'ForInStatement':
      return visitLoop(node, scope);
    case 'ReturnStatement':
      return [...visit(node.argument, scope), exit('return')];
    case 'ThrowStatement':
      return [...visit(node.argument, scope), exit('throw')];
    case 'BreakStatement':
    case 'ContinueStatement':
      if (node.label) throw notUnderstood(node, scope, 'a label');
      return [exit(node.type === 'BreakStatement' ? 'break' : 'continue')];
    case 'TryStatement':
    case 'SwitchStatement':
    case 'LabeledStatement':
      throw notUnderstood(node, scope, node.type);
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
    case 'FunctionDeclaration':
      if (usesContext(node, scope)) throw notUnderstood(node, scope, 'a function without a name that uses the context');
      return [];
    case 'MemberExpression':
      if (isContext(node.object, scope) && textOf(node.property, scope) === 'key') return [];
      return visitAll(childrenOf(node), scope);
    case 'Identifier':
      if (usesContext(node, scope)) throw notUnderstood(node, scope, `this use of ${node.name}`);
      return [];
    default:
      return visitAll(childrenOf(node), scope);
  }
}

function visitLoop(
  node: Extract<
    Node,
    { type: 'ForStatement' | 'WhileStatement' | 'DoWhileStatement' | 'ForOfStatement' | 'ForInStatement' }
  >,
  scope: Scope,
): Flow[] {
  const body = visit(node.body, scope);
  if (node.type === 'ForOfStatement' || node.type === 'ForInStatement') {
    const word = node.type === 'ForOfStatement' ? 'of' : 'in';
    const text = `for (${textOf(node.left, scope)} ${word} ${conditionOf(node.right, scope)})`;
    return [...visit(node.right, scope), ...loop(text, body)];
  }
  const test = visit(node.test, scope);
  const condition = node.test ? conditionOf(node.test, scope) : '';
  const stop = branch(`if not (${condition})`, [exit('break')]);
  if (node.type === 'DoWhileStatement') return loop('do', [...body, ...test, ...stop], { isEndless: true });
  const [init, update] = node.type === 'ForStatement' ? [node.init, node.update] : [];
  const head = [init, node.test, update].map((part) => (part ? ` ${conditionOf(part, scope)}` : ''));
  const text = node.type === 'ForStatement' ? `for (${head.join(';').trim()})` : `while (${condition})`;
  const isEndless = node.test === null || test.length > 0;
  const whole = [...(test.length > 0 ? [...test, ...stop] : []), ...body, ...visit(update, scope)];
  return [...visit(init, scope), ...loop(text, whole, { isEndless })];
}

function visitCall(node: Call, scope: Scope): Flow[] {
  const { callee, arguments: given } = node;
  if (callee.type === 'Identifier') {
    const closure = scope.closures.get(callee.name);
    if (closure) return [...visitAll(given, scope), ...visitFunction(callee.name, closure, scope)];
    if (given.some((argument) => isContext(argument, scope))) return followCall(node, callee.name, scope);
  }
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier')
    return visitAll(childrenOf(node), scope);
  const { object } = callee;
  const method = callee.property.name;
  if (isContext(object, scope)) return visitContextCall(node, method, scope);
  if (object.type === 'MemberExpression' && isContext(object.object, scope)) {
    const part = textOf(object.property, scope);
    if (part === 'rand' || part === 'console') return visitAll(given, scope);
    if (part === 'date') return [command('run', '', ` (date.${method})`)];
  }
  const client = clientOf(object, scope);
  if (client) {
    const key = client.key && `, key ${client.key}`;
    const input = given[0] ? `, input ${textOf(given[0], scope)}` : '';
    return [...visitAll(given, scope), command(client.type, `${client.service}.${method}`, `${key}${input}`)];
  }
  if (method === 'orTimeout') return [...visitAll([object, ...given], scope), command('sleep', '', ' (timeout)')];
  const [callback] = given;
  if (/^(map|flatMap|forEach)$/.test(method) && isFunction(callback) && usesContext(callback, scope)) {
    const text = `for each of ${conditionOf(object, scope)}`;
    return [...visit(object, scope), ...loop(text, visitBody(callback, scope), { isCallback: true })];
  }
  return visitAll(childrenOf(node), scope);
}

/** A call such as `ctx.run('a step', …)`. */
function visitContextCall(node: Call, method: string, scope: Scope): Flow[] {
  const [first, second] = node.arguments;
  const before = visitAll(node.arguments, scope);
  if (method === 'request') return before;
  if (method === 'run') return [...before, command('run', isFunction(first) || !first ? '' : nameIn(first, scope))];
  if (method === 'sleep') return [...before, command('sleep', second ? nameIn(second, scope) : '')];
  if (first && (method === 'get' || method === 'clear')) return [...before, command(method, nameIn(first, scope))];
  if (first && second && method === 'set')
    return [...before, command('set', nameIn(first, scope), ` = ${textOf(second, scope)}`)];
  throw notUnderstood(node, scope, `${scope.context}.${method}`);
}

/** A call of a function in this project that gets the context. */
function followCall(node: Call, name: string, scope: Scope): Flow[] {
  const index = node.arguments.findIndex((argument) => isContext(argument, scope));
  const found = scope.sources.find(scope.source, name);
  const called = isFunction(found?.node) ? found.node : undefined;
  const parameter = called?.params[index];
  if (!found || !called || parameter?.type !== 'Identifier')
    throw notUnderstood(node, scope, `${name}, which gets the context`);
  const before = visitAll(node.arguments.toSpliced(index, 1), scope);
  const own = { source: found.source, context: parameter.name, clients: new Map(), closures: new Map() };
  return [...before, ...visitFunction(name, called, { ...scope, ...own })];
}
