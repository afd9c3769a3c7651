import type { PoolName } from '../../../platform/pool.ts';
import { html, textOf, trusted, type Html } from './html.ts';

// A speech bubble with its tail on the left, forming a P.
const shape =
  'M5 12a9 9 0 0 1 9-9h4.2a9.3 9.3 0 0 1 0 18.6H14l-6.3 7.2C6.8 29.9 5 29.3 5 27.8zM14 8.4a3.6 3.6 0 0 0-3.6 3.6v4.2h7.8a3.9 3.9 0 0 0 0-7.8z';

/** Uses the text colour, so that it works with forced colours. */
export const mark: Html = html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
  <path fill="currentColor" fill-rule="evenodd" d="${shape}" />
</svg>`;

const tileColours: Record<PoolName, string> = { customer: '#0F766E', admin: '#334155' };

/** White on a coloured tile, for light and dark tabs. The admin's tile is slate, to tell the tabs apart. */
export function favicon(pool: PoolName): Html {
  const svg = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
    <rect width="32" height="32" rx="7" fill="${tileColours[pool]}" />
    <path transform="translate(5.4 5.2) scale(.68)" fill="#FFF" fill-rule="evenodd" d="${shape}" />
  </svg>`;
  return trusted(`data:image/svg+xml,${encodeURIComponent(textOf(svg))}`);
}
