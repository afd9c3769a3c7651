import type { Embed } from './shell.ts';
import type { Availability } from './wire.ts';

/** The configuration of a page that is open for longer is loaded again. */
const maxAgeMs = 300_000;

/** Loads the team's availability again if it is too old. */
export function createRefresh(
  { base, botId, publicKey }: Pick<Embed, 'base' | 'botId' | 'publicKey'>,
  apply: (availability: Availability) => void,
): () => void {
  let loadedAt = performance.timeOrigin;
  return () => {
    if (Date.now() - loadedAt < maxAgeMs) return;
    loadedAt = Date.now();
    fetch(`${base}config/${botId}?key=${publicKey}`)
      .then((response) => response.json() as Promise<{ availability?: Availability }>)
      .then(({ availability }) => availability && apply(availability))
      .catch(() => {}); // what was known is still shown
  };
}
