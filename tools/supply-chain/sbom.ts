import { z } from 'zod';

const Component = z.looseObject({ 'bom-ref': z.string(), name: z.string(), version: z.string() });
export const Bom = z.looseObject({
  metadata: z.looseObject({ component: Component }),
  components: z.array(Component),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()) })),
});
export type Bom = z.infer<typeof Bom>;

export interface Manifest {
  name: string;
  version: string;
  /** What it needs when it runs. */
  dependencies?: Record<string, string>;
}
/** npm names our own packages by their folders. Only the reference has their name. */
const refOf = ({ name, version }: Manifest) => `${name}@${version}`;
const nameIn = (ref: string) => ref.slice(0, ref.lastIndexOf('@'));

/**
 * What one of our packages needs when it runs, out of the list of everything. npm could leave out what is for development
 * itself (`--omit dev`), but then also leaves out what both need, such as fastify.
 */
export function bomOf(everything: Bom, part: Manifest, ours: readonly Manifest[]): Bom {
  const edges = new Map(everything.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const needsOf = (ref: string): string[] => {
    const own = ours.find((one) => refOf(one) === ref);
    const all = edges.get(ref) ?? [];
    if (!own) return all;
    const wanted = Object.keys(own.dependencies ?? {});
    const found = all.filter((to) => wanted.includes(nameIn(to)));
    if (found.length < wanted.length)
      throw new Error(`${ref}: npm lists ${found.length} of ${wanted.length} dependencies`);
    return found;
  };
  const root = everything.components.find((one) => one['bom-ref'] === refOf(part));
  if (!root) throw new Error(`npm lists no package '${refOf(part)}'`);
  const reached = new Map<string, string[]>();
  const waiting = [root['bom-ref']];
  for (let ref = waiting.pop(); ref !== undefined; ref = waiting.pop()) {
    if (reached.has(ref)) continue;
    reached.set(ref, needsOf(ref));
    waiting.push(...needsOf(ref));
  }
  return {
    ...everything,
    metadata: { ...everything.metadata, component: { ...root, name: part.name, type: 'application' } },
    components: everything.components.filter((one) => one !== root && reached.has(one['bom-ref'])),
    dependencies: [...reached].map(([ref, dependsOn]) => ({ ref, dependsOn })),
  };
}
