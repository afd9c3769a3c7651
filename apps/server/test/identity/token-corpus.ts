import * as forgeries from './forgeries.ts';
import * as mangled from './mangled.ts';
import * as misuses from './misuses.ts';
import type { Family, Scene } from './scene.ts';

export interface BadCredential {
  family: string;
  name: string;
  headers: Record<string, string>;
  /** The pools that must refuse it. Some credentials are valid for the other pool. */
  sentTo: readonly ('customer' | 'admin')[];
}

const families: Record<string, Family> = { ...forgeries.families, ...mangled.families, ...misuses.families };
export const familyNames = [...Object.keys(families), ...Object.keys(misuses.validForOtherPool)];

/** All hostile credentials for these scenes, without duplicates. */
export async function makeCorpus(scenes: readonly Scene[]): Promise<BadCredential[]> {
  const corpus = new Map<string, BadCredential>();
  const add = async (scene: Scene, from: Record<string, Family>, sentTo: BadCredential['sentTo']) => {
    for (const [family, make] of Object.entries(from))
      for (const [name, credential] of await make(scene)) {
        const headers = typeof credential === 'string' ? { authorization: `Bearer ${credential}` } : credential;
        corpus.set(JSON.stringify(headers), { family, name: `${scene.pool}: ${name}`, headers, sentTo });
      }
  };
  for (const scene of scenes) {
    await add(scene, families, ['customer', 'admin']);
    await add(scene, misuses.validForOtherPool, [scene.pool]);
  }
  return [...corpus.values()];
}
