import { trusted, type Html } from './html.ts';

const icon = (paths: string, className = 'icon'): Html =>
  trusted(`<svg class="${className}" viewBox="0 0 24 24" aria-hidden="true" focusable="false">${paths}</svg>`);

/** Next to everything red or amber, so that colour is not the only indicator. */
export const warningIcon = icon('<circle cx="12" cy="12" r="9"/><path d="M12 7.5v5M12 16v.01"/>');

/** A person and a key, as browsers show for passkeys. */
export const passkeyIcon = icon(
  '<circle cx="9.5" cy="7" r="4"/><path d="M3 20v-1a5 5 0 0 1 5-5h3.5"/><circle cx="17.5" cy="13" r="2.5"/><path d="M17.5 15.5V21l1.6-1.6-1.6-1.6"/>',
);

export const doneIcon = icon('<circle cx="12" cy="12" r="9"/><path d="m8 12.2 2.8 2.8L16 9.5"/>', 'icon done');

export const emailIcon = icon(
  '<rect x="3" y="5" width="18" height="14" rx="2"/><path d="m3.5 7 8.5 6 8.5-6"/>',
  'icon email',
);
