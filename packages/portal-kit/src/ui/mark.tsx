const shape =
  'M5 12a9 9 0 0 1 9-9h4.2a9.3 9.3 0 0 1 0 18.6H14l-6.3 7.2C6.8 29.9 5 29.3 5 27.8zM14 8.4a3.6 3.6 0 0 0-3.6 3.6v4.2h7.8a3.9 3.9 0 0 0 0-7.8z';

/** The logo: a speech bubble shaped like a P, in the text colour. */
export const Mark = ({ size = 28 }: { size?: number }) => (
  <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true" focusable="false">
    <path fill="currentColor" fillRule="evenodd" d={shape} />
  </svg>
);

const dot = '<circle cx="25" cy="7" r="6" fill="#DC2626" stroke="#FFF" stroke-width="2"/>';

/** With a dot while someone is waiting. */
export const favicon = (tile: string, { hasDot = false } = {}) =>
  `data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${tile}"/><path transform="translate(5.4 5.2) scale(.68)" fill="#FFF" fill-rule="evenodd" d="${shape}"/>${hasDot ? dot : ''}</svg>`,
  )}`;
