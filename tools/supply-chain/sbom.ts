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
  /** Runtime dependencies. */
  dependencies?: Record<string, string>;
}
/** npm names our own packages by their folders; only the reference has the real name. */
const refOf = ({ name, version }: Manifest) => `${name}@${version}`;
const nameIn = (ref: string) => ref.slice(0, ref.lastIndexOf('@'));

/**
 * The runtime dependencies of one of our packages, from the full list. npm could omit development dependencies itself
 * (`--omit dev`), but then it also omits what both need, such as fastify.
 */
export function bomOf(everything: Bom, subject: Manifest, ours: readonly Manifest[]): Bom {
  const edges = new Map(everything.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const needsOf = (ref: string): string[] => {
    const own = ours.find((one) => refOf(one) === ref);
    const all = edges.get(ref) ?? [];
    if (!own) return all;
    const expected = Object.keys(own.dependencies ?? {});
    const found = all.filter((to) => expected.includes(nameIn(to)));
    if (found.length < expected.length)
      throw new Error(`${ref}: npm lists ${found.length} of ${expected.length} dependencies`);
    return found;
  };
  const root = everything.components.find((one) => one['bom-ref'] === refOf(subject));
  if (!root) throw new Error(`npm lists no package '${refOf(subject)}'`);
  const reached = new Map<string, string[]>();
  const pending = [root['bom-ref']];
  for (let ref = pending.pop(); ref !== undefined; ref = pending.pop()) {
    if (reached.has(ref)) continue;
    reached.set(ref, needsOf(ref));
    pending.push(...needsOf(ref));
  }
  return {
    ...everything,
    metadata: { ...everything.metadata, component: { ...root, name: subject.name, type: 'application' } },
    components: everything.components.filter((one) => one !== root && reached.has(one['bom-ref'])),
    dependencies: [...reached].map(([ref, dependsOn]) => ({ ref, dependsOn })),
  };
}

/** Adds the packages of a folder with its own lockfile, as a dependency of the subject. */
export function addFolder(bom: Bom, { metadata: { component: folder }, components, dependencies }: Bom): Bom {
  const subject = bom.metadata.component['bom-ref'];
  const known = new Set(bom.components.map((one) => one['bom-ref']));
  return {
    ...bom,
    components: [...bom.components, ...[folder, ...components].filter((one) => !known.has(one['bom-ref']))],
    dependencies: [
      ...bom.dependencies.map(({ ref, dependsOn }) =>
        ref === subject ? { ref, dependsOn: [...dependsOn, folder['bom-ref']] } : { ref, dependsOn },
      ),
      ...dependencies.filter(({ ref }) => !known.has(ref)),
    ],
  };
}
