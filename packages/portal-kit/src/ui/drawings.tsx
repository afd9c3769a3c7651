import type { ReactNode } from 'react';

// One family: 120 × 80, lines of 1.5, one accent, a dotted background.

const accent = 'var(--mantine-color-anchor)';
const shapes = {
  bot: (
    <>
      <rect x="38" y="24" width="44" height="36" rx="8" />
      <path d="M60 24v-9M50 68h20M60 60v8" />
      <circle cx="60" cy="12" r="3" stroke={accent} />
      <path d="M51 39v4M69 39v4M52 51c5 3 11 3 16 0" stroke={accent} />
      <path d="M32 38v8M88 38v8" />
    </>
  ),
  messages: (
    <>
      <path d="M26 20h44a6 6 0 0 1 6 6v18a6 6 0 0 1-6 6H44l-10 9v-9h-8a6 6 0 0 1-6-6V26a6 6 0 0 1 6-6z" />
      <path d="M84 34h10a6 6 0 0 1 6 6v16a6 6 0 0 1-6 6h-4v8l-9-8H66" stroke={accent} />
      <path d="M32 31h32M32 39h20" />
    </>
  ),
  document: (
    <>
      <path d="M42 12h26l14 14v42H42z" />
      <path d="M68 12v14h14" />
      <path d="M50 36h24M50 45h24M50 54h14" stroke={accent} />
    </>
  ),
  key: (
    <>
      <circle cx="44" cy="40" r="14" />
      <circle cx="44" cy="40" r="5" stroke={accent} />
      <path d="M58 40h40M86 40v9M94 40v7" />
    </>
  ),
  webhook: (
    <>
      <rect x="18" y="28" width="26" height="24" rx="6" />
      <rect x="78" y="28" width="26" height="24" rx="6" />
      <path d="M48 40h24M66 34l6 6-6 6" stroke={accent} />
      <path d="M26 40h10M86 40l4 4 7-8" />
    </>
  ),
  bolt: (
    <>
      <rect x="34" y="16" width="52" height="48" rx="8" />
      <path d="M63 22 50 43h9l-3 15 14-21h-9z" stroke={accent} />
    </>
  ),
  people: (
    <>
      <circle cx="50" cy="30" r="10" />
      <path d="M30 64c1-13 9-20 20-20s19 7 20 20" />
      <circle cx="78" cy="34" r="8" stroke={accent} />
      <path d="M78 48c9 0 15 6 16 16" stroke={accent} />
    </>
  ),
  list: (
    <>
      <rect x="28" y="16" width="64" height="50" rx="6" />
      <path d="M28 29h64M46 41h36M46 53h26" />
      <path d="M36 41h3M36 53h3" stroke={accent} />
    </>
  ),
  search: (
    <>
      <circle cx="55" cy="36" r="18" />
      <path d="m69 50 16 16" />
      <path d="M47 36h16" stroke={accent} />
    </>
  ),
  chart: (
    <>
      <path d="M28 14v52h66" />
      <path d="m36 54 14-14 12 8 24-26" stroke={accent} />
      <circle cx="86" cy="22" r="3" stroke={accent} />
    </>
  ),
  check: (
    <>
      <circle cx="60" cy="40" r="24" />
      <path d="m49 41 8 8 15-17" stroke={accent} />
    </>
  ),
} satisfies Record<string, ReactNode>;

export type DrawingName = keyof typeof shapes;

/** A small line drawing, decorative. */
export const Drawing = ({ name, width = 120 }: { name: DrawingName; width?: number }) => (
  <svg
    viewBox="0 0 120 80"
    width={width}
    height={(width * 2) / 3}
    fill="none"
    stroke="var(--drawing)"
    strokeWidth="1.5"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    focusable="false"
  >
    <path d="M10 75h100" strokeDasharray="1 5" />
    {shapes[name]}
  </svg>
);
