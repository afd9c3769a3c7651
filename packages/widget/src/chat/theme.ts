import { legibleOn } from '../shared/colour.ts';
import { asColour, inkOn } from '../shared/ink.ts';
import type { Appearance } from '../shared/wire.ts';

const palettes = {
  light: {
    bg: '#fff',
    fg: '#0f172a',
    soft: '#f1f5f9',
    dim: '#475569',
    line: '#cbd5e1',
    edge: '#64748b',
    bad: '#b91c1c',
  },
  dark: {
    bg: '#0f172a',
    fg: '#f1f5f9',
    soft: '#1e293b',
    dim: '#a8b5c8',
    line: '#334155',
    edge: '#8494ab',
    bad: '#fca5a5',
  },
};

/** Applies the tenant's colours with enough contrast. Set as properties, so that invalid values have no effect. */
export function applyTheme(
  node: HTMLElement,
  { theme, accent: requested, radius, side, offsetX, offsetY }: Appearance,
): void {
  const isDark = theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  const palette = isDark ? palettes.dark : palettes.light;
  const accent = asColour(requested);
  const values = {
    ...palette,
    accent,
    ink: inkOn(accent),
    link: legibleOn(palette.soft, accent),
    radius: `${radius}px`,
    y: `${offsetY}px`,
    x: `${offsetX}px`,
  };
  for (const [name, value] of Object.entries(values)) node.style.setProperty(`--${name}`, value);
  node.style.colorScheme = isDark ? 'dark' : 'light';
  node.classList.toggle('left', side === 'left');
}
