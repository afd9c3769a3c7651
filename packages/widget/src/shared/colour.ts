// WCAG 2.2 contrast. Text on and in the tenant's colour is legible, whatever it is.

import { inkOn, luminance } from './ink.ts';

type Rgb = [number, number, number];

const parse = (hex: string): Rgb => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as Rgb;
const toHex = (rgb: Rgb) => `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** The colour itself if it is legible on the background; otherwise the nearest one towards black or white. */
export function legibleOn(background: string, colour: string, ratio = 4.51): string {
  const [from, ink] = [parse(colour), parse(inkOn(background) === '#fff' ? '#ffffff' : '#000000')];
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = toHex(from.map((part, at) => part + (ink[at]! - part) * share) as Rgb);
    if (contrast(background, mixed) >= ratio) return mixed;
  }
  return toHex(ink);
}
