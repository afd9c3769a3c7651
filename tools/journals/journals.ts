import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { notUnderstood, propertiesOf, serviceOf } from './expressions.ts';
import type { Flow } from './flow.ts';
import { isFunction, nodesOf, openSources, type Source, type Sources } from './sources.ts';
import { flowOf } from './visit.ts';

/** The journals of all durable handlers in a folder, by `service.handler`, from their source. */
export function readJournals(dir: string): Map<string, Flow[]> {
  const sources = openSources();
  const load = (pattern: string) => globSync(pattern, { cwd: dir }).map((path) => sources.load(resolve(dir, path)));
  const journals = new Map(load('**/*.workflow.ts').flatMap((source) => implementedIn(source, sources)));
  const declared = load('**/*.interface.ts').flatMap(declaredIn);
  const missing = declared.filter((handler) => !journals.has(handler));
  if (missing.length > 0) throw new Error(`declared, but implemented in no .workflow file: ${missing.join(', ')}`);
  return new Map([...journals].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function declaredIn({ program }: Source): string[] {
  return [...nodesOf(program)].flatMap((node) => {
    const service = serviceOf(node);
    return service ? service.handlers.map((handler) => `${service.name}.${handler}`) : [];
  });
}

function implementedIn(source: Source, sources: Sources): [string, Flow[]][] {
  return [...nodesOf(source.program)].flatMap((node) => {
    if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return [];
    const { property } = node.callee;
    const [declared, options] = node.arguments;
    if (property.type !== 'Identifier' || property.name !== 'implement') return [];
    const found = declared?.type === 'Identifier' ? sources.find(source, declared.name) : undefined;
    const service = found && serviceOf(found.node);
    const handlers = [...propertiesOf(propertiesOf(options).get('handlers'))];
    if (!service || handlers.length === 0) throw notUnderstood(node, { source }, 'an implementation without interface');
    return handlers.map(([name, handler]): [string, Flow[]] => {
      if (!isFunction(handler)) throw notUnderstood(handler, { source }, 'a handler that is not a function');
      return [`${service.name}.${name}`, flowOf(handler, source, sources)];
    });
  });
}
